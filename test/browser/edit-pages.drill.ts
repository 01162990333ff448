import type { Sandbox } from "@dayferry/sandbox";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { calendar, vevent } from "../edits/rig.ts";
import { barriers, describeInBrowser, oneBrowser, overhang } from "../support/browser.ts";
import { type Installation, install } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { serveHere } from "../support/in-process.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

describeInBrowser("the pages of edits", () => {
  const { open } = oneBrowser();
  let sandbox: Sandbox;
  let installation: Installation;
  let daemon: Awaited<ReturnType<typeof serveHere>>;
  let conflict = 0;
  let event = 0;

  const placeOf = () => {
    const [place] = sandbox.workspace.places();
    return { by: ownerOf(sandbox), project: place?.project ?? 0 };
  };
  const api = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const headers = {
      authorization: `Bearer ${daemon.adminToken}`,
      "content-type": "text/calendar",
    };
    return (await fetch(`${daemon.url}/api/${path}`, { headers, ...init })).json();
  };

  beforeAll(async () => {
    sandbox = await testSandbox({ size: "empty" });
    const by = placeOf();
    event = sandbox.workspace.events.create(by, {
      title: "Release call",
      start: "2027-06-10T10:00:00+02:00",
      end: "2027-06-10T11:00:00+02:00",
      all_day: false,
    }).id;
    installation = install(sandbox);
    daemon = await serveHere(installation);
    const items = JSON.stringify(
      await api(`items?project=${by.project}&from=2027-06-01&to=2027-07-01`),
    );
    const uid = /"(event-[^"]+)"/.exec(items)?.[1] ?? "";
    // If the other's change were read before the edit arrived, there would be no conflict.
    sandbox.faults.add({
      kind: "status",
      status: 503,
      method: "GET",
      path: /events$/,
      times: 1_000_000,
    });
    sandbox.workspace.events.update(
      { ...by, event },
      { title: "Theirs", description: "Their words" },
    );
    const wish = calendar(vevent(uid, "SUMMARY:Mine", "DESCRIPTION:My words"));
    const { items: accepted }: { items?: readonly { editId: number }[] } = Object(
      await api(`edits?project=${by.project}`, { method: "POST", body: wish }),
    );
    conflict = accepted?.[0]?.editId ?? 0;
    sandbox.faults.clear();
    await eventually("the edit is parked", async () => {
      const shown: { state?: string } = Object(await api(`edits/${conflict}`));
      return shown.state === "parked" ? shown : null;
    });
  });
  afterAll(async () => {
    await daemon.stop();
    await sandbox.close();
    installation.dispose();
  });

  const enter = async (page: Page, path: string) => {
    await page.goto(`${daemon.url}/?token=${daemon.adminToken}`);
    await page.goto(`${daemon.url}/${path}`);
  };

  for (const [device, scheme] of [
    ["desktop", "light"],
    ["phone", "dark"],
  ] as const) {
    it(`have nothing in anybody's way on a ${device} in ${scheme} colours`, async () => {
      const page = await open({ device, scheme });
      for (const path of ["edits", `edits/${conflict}`, "edits/file"]) {
        await enter(page, path);
        if (process.env["PICTURES"]) {
          const file = `${process.env["PICTURES"]}/${path.replaceAll("/", "-")}-${device}.png`;
          await page.screenshot({ path: file, fullPage: true });
        }
        expect(await barriers(page), path).toEqual([]);
        expect(await overhang(page), path).toBe(0);
      }
    });
  }

  it("show the result of a choice at once, and send it with one press", async () => {
    const page = await open();
    await enter(page, `edits/${conflict}`);
    await page.getByRole("button", { name: /^Use this edit/ }).click();
    const preview = page.locator("#preview");
    await preview.getByText("From").waitFor();
    expect(new URL(page.url()).pathname).toBe(`/edits/${conflict}`);
    expect(await preview.getByRole("button").count()).toBe(1);
  });

  it("resolve a conflict field by field without a script, and undo it", async () => {
    const page = await open({ script: "off" });
    await enter(page, "edits?state=waiting");
    await page.getByRole("link", { name: /renamed Release call to Mine/ }).click();
    await page
      .getByRole("group", { name: "Title" })
      .getByRole("radio", { name: /'s edit/ })
      .check();
    const description = page.getByRole("group", { name: "Description" });
    await description.getByRole("radio", { name: /^Combine/ }).check();
    await page.getByLabel("Description, combined").fill("Ours");
    await page.getByRole("button", { name: "Preview" }).click();
    expect(await page.getByRole("cell", { name: "Ours" }).count()).toBe(1);
    const now = () => sandbox.workspace.events.get({ ...placeOf(), event });
    expect(now().title).toBe("Theirs");
    await page.getByRole("button", { name: "Send this to the workspace" }).click();
    await expect.poll(() => now().title).toBe("Mine");
    expect(now().description).toBe("Ours");

    await expect
      .poll(
        async () => {
          await page.reload();
          return page.getByRole("link", { name: "Undo…" }).count();
        },
        { timeout: 40_000 },
      )
      .toBe(1);
    await page.getByRole("link", { name: "Undo…" }).click();
    expect(await page.getByText("No changes since.").count()).toBe(1);
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await expect.poll(() => now().title).toBe("Theirs");
  });

  it("take a file, show its plan and apply it", async () => {
    const page = await open();
    await enter(page, "edits/file");
    const buffer = Buffer.from(
      calendar(vevent("dropped@example.com", "SUMMARY:Dropped", "DTSTART;VALUE=DATE:20270701")),
    );
    await page
      .getByLabel("Calendar file (.ics)")
      .setInputFiles({ name: "new.ics", mimeType: "text/calendar", buffer });
    await page.getByRole("button", { name: "Preview" }).click();
    expect(await page.getByText("Create the event Dropped, all day Thu 1 Jul 2027").count()).toBe(
      1,
    );
    await page.getByRole("button", { name: "Apply it" }).click();
    const titles = () =>
      sandbox.workspace.events.list(placeOf(), { view: "all" }).map(({ title }) => title);
    await expect.poll(titles).toContain("Dropped");
  });
});
