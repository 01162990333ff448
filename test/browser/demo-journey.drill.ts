import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInBrowser, oneBrowser } from "../support/browser.ts";
import { demoWorld } from "../support/demo-world.ts";

describeInBrowser("a morning with the demo", () => {
  const { open } = oneBrowser();
  let world: Awaited<ReturnType<typeof demoWorld>>;

  beforeAll(async () => {
    world = await demoWorld();
  });
  afterAll(() => world.close());

  const enter = async (page: Page, path: string) => {
    await page.goto(`${world.url}/?token=${world.adminToken}`);
    await page.goto(`${world.url}/${path}`);
  };
  const logIn = async (page: Page, first: string) => {
    const { people } = world.modules;
    const person = people.list().find(({ name }) => name.startsWith(first));
    const given = person && people.setPassword(person.id);
    await page.goto(`${world.url}/login`);
    await page.getByLabel("E-mail address").fill(person?.login ?? "");
    await page.getByLabel("App password").fill(given?.kind === "set" ? given.password : "");
    await page.getByRole("button", { name: "Log in", exact: true }).click();
  };
  const edits = (title: RegExp) =>
    (world.modules.editActions.list({ state: undefined, limit: 100 }) ?? []).find(({ item }) =>
      title.test(item.title),
    );
  const stateOf = (id: number) => world.modules.editActions.show(id)?.state;
  const titles = () => {
    const { workspace } = world.sandbox;
    const [owner] = workspace.people();
    return workspace.places().flatMap(({ project }) => {
      const found = workspace.events.list({ by: owner?.id ?? 0, project }, { view: "all" });
      return found.map(({ title }) => title);
    });
  };

  /** Chooses a whole side, previews the result, and sends it. */
  const choose = async (
    page: Page,
    { edit, side, confirm }: { edit: number; side: RegExp; confirm: string },
  ) => {
    await page.goto(`${world.url}/edits/${edit}`);
    await page.getByRole("button", { name: side }).click();
    expect(await page.getByRole("table").count()).toBeGreaterThan(0);
    await page.getByRole("button", { name: confirm }).click();
  };

  it("shows what waits, and who changed what through which channel", async () => {
    const page = await open();
    await enter(page, "edits?state=waiting");
    const waiting = (await page.locator("main").textContent()) ?? "";
    for (const title of ["Weekly call", "Redirects", "Demo laptop", "500 tote bags"])
      expect(waiting).toContain(title);
    expect(waiting).not.toContain("Sprint planning");
    await enter(page, "edits");
    const all = (await page.locator("main").textContent()) ?? "";
    for (const name of ["Ben Okafor", "Chiara Lindqvist", "Thunderbird", "DAVx"])
      expect(all).toContain(name);
  });

  it("names the time zone in a sentence if the browser has another", async () => {
    const [home, abroad] = [await open(), await open({ zone: "Asia/Tokyo" })];
    const sentence = "Sprint planning from 09:30 to 10:30";
    for (const path of ["", "edits", `edits/${edits(/Sprint planning/)?.id}`]) {
      await enter(home, path);
      await enter(abroad, path);
      const [here, there] = [await home.textContent("main"), await abroad.textContent("main")];
      expect(here, path).toContain(sentence);
      expect(here, path).not.toContain("(Europe/Berlin),");
      expect(there, path).toMatch(/Sprint planning from 09:30 to 10:30[^\n]*\(Europe\/Berlin\)/);
      expect(there, path).toContain("Times are in Asia/Tokyo, unless they name Europe/Berlin.");
    }
  });

  it("shows a member's own edits, and all to the admin", async () => {
    const [admin, member] = [await open(), await open({ device: "phone" })];
    await enter(admin, "edits");
    await logIn(member, "Ben");
    await member.goto(`${world.url}/edits`);
    const seen = (await member.locator("main").textContent()) ?? "";
    expect(seen).toContain("Weekly call");
    expect(seen).not.toContain("500 tote bags");
    expect(await admin.locator("main").textContent()).toContain("500 tote bags");
    const foreign = edits(/tote bags/)?.id ?? 0;
    const answer = await member.request.get(`${world.url}/edits/${foreign}`);
    expect(answer.status()).toBe(404);
  });

  it("resolves a conflict for the edit, and another one for the workspace", async () => {
    const page = await open();
    await enter(page, "edits");
    const mine = edits(/Weekly call/)?.id ?? 0;
    const confirm = "Send this to the workspace";
    await choose(page, { edit: mine, side: /Use this edit/, confirm });
    await expect.poll(titles).toContain("Weekly call with Haddad & Sons (by video)");
    const theirs = edits(/Redirects/)?.id ?? 0;
    await choose(page, {
      edit: theirs,
      side: /Keep current values/,
      confirm: "Keep the current values",
    });
    await expect.poll(() => stateOf(theirs)).not.toBe("parked");
  });

  it("discards a refused edit after a retry, and approves the deletion", async () => {
    const page = await open();
    const refused = edits(/Demo laptop/)?.id ?? 0;
    const held = edits(/tote bags/)?.id ?? 0;
    await enter(page, `edits/${refused}`);
    await page.getByRole("button", { name: /Try again/ }).click();
    await page.goto(`${world.url}/edits/${held}`);
    await page.getByRole("button", { name: /Approve/ }).click();
    await page.getByRole("heading", { name: /^Delete .* for everyone\?$/ }).waitFor();
    await page.getByRole("button", { name: "Delete for everyone" }).click();
    await expect.poll(() => [stateOf(refused), stateOf(held)]).toEqual(["confirmed", "confirmed"]);
  });

  it("undoes a move", async () => {
    const page = await open();
    const moved = edits(/Sprint planning/)?.id ?? 0;
    await enter(page, `edits/${moved}`);
    await page.getByRole("link", { name: "Undo…" }).click();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await expect.poll(() => stateOf(moved)).toBe("undone");
  });
});
