import { inflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import decodeQr from "qr/decode.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { barriers, describeInBrowser, oneBrowser, overhang } from "../support/browser.ts";
import { demoWorld } from "../support/demo-world.ts";

describeInBrowser("subscribing and connecting, to the end", () => {
  const { open, expectedFaults } = oneBrowser();
  let world: Awaited<ReturnType<typeof demoWorld>>;

  beforeAll(async () => {
    world = await demoWorld();
  });
  afterAll(() => world.close());

  const enter = async (page: Page, path: string) => {
    await page.goto(`${world.url}/?token=${world.adminToken}`);
    await page.goto(`${world.url}/${path}`);
  };
  const personOf = (first: string) => {
    const person = world.modules.people.list().find(({ name }) => name.startsWith(first));
    return person ?? expect.fail(`nobody is called ${first}`);
  };
  const logIn = async (page: Page, first: string) => {
    const person = personOf(first);
    const given = world.modules.people.setPassword(person.id);
    await page.goto(`${world.url}/login`);
    await page.getByLabel("E-mail address").fill(person.login);
    await page.getByLabel("App password").fill(given.kind === "set" ? given.password : "");
    await page.getByRole("button", { name: "Log in", exact: true }).click();
  };
  /** What the button beside a field put into the clipboard. */
  const copied = async (page: Page, label: string): Promise<string> => {
    await page.getByRole("button", { name: `Copy: ${label}` }).click();
    await page
      .getByRole("button", { name: `Copy: ${label}` })
      .getByText("Copied")
      .waitFor();
    return page.evaluate("navigator.clipboard.readText()");
  };
  /** What a camera reads off the screen. */
  const scanned = async (page: Page, summary: RegExp): Promise<string> => {
    await page.getByText(summary).click();
    return decodeQr(pixelsOfPng(await page.locator("svg.qr").screenshot()));
  };

  for (const [device, scheme, zone] of [
    ["desktop", "light", "America/New_York"],
    ["phone", "dark", "Asia/Tokyo"],
  ] as const) {
    it(`a feed is copied, scanned and added by one click, on a ${device}, ${scheme}, in ${zone}`, async () => {
      const page = await open({ device, scheme, zone });
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await enter(page, "feeds");
      await page.getByRole("link", { name: "Website" }).first().click();
      const name = (await page.getByRole("heading", { level: 1 }).textContent()) ?? "";
      const field = page.getByRole("textbox", { name: /^Address/ });
      const url = await field.inputValue();
      expect(await copied(page, "Address: anyone who has it can read the calendar")).toBe(url);
      expect(await scanned(page, /code for the phone/)).toBe(url);
      expect(await (await fetch(url)).text()).toContain("BEGIN:VCALENDAR");

      const href = async (label: string) =>
        new URL((await page.getByRole("link", { name: label }).getAttribute("href")) ?? "");
      const webcal = url.replace(/^http:/, "webcal:");
      expect((await href("Apple Calendar, Thunderbird and others")).href).toBe(webcal);
      const google = await href("Google Calendar");
      expect(`${google.origin}${google.pathname}`).toBe("https://calendar.google.com/calendar/r");
      expect([...google.searchParams]).toEqual([["cid", webcal]]);
      for (const [label, host] of [
        ["Outlook.com", "outlook.live.com"],
        ["Outlook for work or school", "outlook.office.com"],
      ] as const) {
        const { protocol, hostname, pathname, searchParams, search } = await href(label);
        expect([protocol, hostname]).toEqual(["https:", host]);
        expect(pathname).toBe("/calendar/0/addfromweb");
        expect([...searchParams]).toEqual([
          ["url", url],
          ["name", name],
        ]);
        expect(search).not.toContain("+");
      }
    });

    it(`a program is given its fields and a profile, on a ${device}, ${scheme}`, async () => {
      const page = await open({ device, scheme, zone });
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await logIn(page, "Ben");
      await page.goto(`${world.url}/connect`);
      const server = await copied(page, "Server");
      expect(await copied(page, "User name")).toBe(personOf("Ben").login);
      const found = await page.request.fetch(server, { method: "OPTIONS" });
      expect(found.headers()["dav"]).toContain("calendar-access");
      const loading = page.waitForEvent("download");
      await page.getByRole("link", { name: "Get the profile" }).click();
      const profile = await loading;
      expect(profile.suggestedFilename()).toMatch(/\.mobileconfig$/);
      const text = await streamText(await profile.createReadStream());
      expect(text).toContain(`<string>${personOf("Ben").login}</string>`);
    });
  }

  it("a person's own filtered feed is created, fetched and ended", async () => {
    const page = await open({ device: "phone", scheme: "dark", zone: "Asia/Tokyo" });
    await logIn(page, "Ben");
    await page.goto(`${world.url}/feeds`);
    await page.getByText("Choose what it shows").click();
    const kinds = page.getByLabel("Source");
    await kinds.selectOption({ label: "Me, in all projects" });
    await page.getByLabel("Name").fill("Only mine");
    await page.getByLabel("Events").uncheck();
    await page.getByRole("button", { name: "Create feed" }).click();
    await page.getByRole("heading", { name: "Only mine" }).waitFor();
    const url = await page.getByRole("textbox", { name: /^Address/ }).inputValue();
    const shown = await (await fetch(url)).text();
    expect(shown).toContain("X-WR-CALNAME:Only mine");
    expect(shown).not.toContain("SUMMARY:Weekly call");
    const [admin, other] = [await open(), await open()];
    await enter(admin, "feeds");
    expect(await admin.getByRole("link", { name: "Only mine", exact: true }).count()).toBe(1);
    await logIn(other, "Chiara");
    await other.goto(`${world.url}/feeds`);
    expect(await other.getByRole("link", { name: "Only mine", exact: true }).count()).toBe(0);
    expect((await other.request.get(page.url())).status()).toBe(404);
    await page.getByRole("button", { name: "End this feed…" }).click();
    await page.getByRole("heading", { name: /^End the feed / }).waitFor();
    await page.getByRole("button", { name: "End this feed" }).click();
    await page.getByRole("heading", { name: "New feed" }).waitFor();
    expect((await fetch(url)).status).toBe(404);
  });

  it("a mail of the outbox is readable, and its links lead back here", async () => {
    const page = await open();
    await page.goto(`${world.url}/login`);
    await page.getByLabel("E-mail address").fill(personOf("Chiara").login);
    await page.getByRole("button", { name: "Mail me a link instead" }).click();
    const admin = await open({ zone: "America/New_York" });
    await enter(admin, "people");
    await expect
      .poll(
        async () => {
          await admin.reload();
          return admin
            .locator("#outbox")
            .getByRole("link", { name: /link to log in/ })
            .count();
        },
        { timeout: 40_000 },
      )
      .toBeGreaterThan(0);
    await admin
      .locator("#outbox")
      .getByRole("link", { name: /link to log in/ })
      .first()
      .click();
    const text = (await admin.locator("main").textContent()) ?? "";
    const [, link = ""] = /(https?:\/\/\S+\/login\/\S+)/.exec(text) ?? [];
    await page.goto(link);
    await page.getByRole("button").last().click();
    expect(await page.locator(".who").textContent()).toContain("Chiara");
  });

  it("detail pages have no accessibility problem for members and guests", async () => {
    const dark = { device: "phone", scheme: "dark", zone: "Asia/Tokyo" } as const;
    const light = { zone: "America/New_York" } as const;
    const edits = world.modules.editActions.list({ state: undefined, limit: 100 }) ?? [];
    const parked = edits.find(({ choice }) => choice !== null)?.id;
    const done = edits.find(({ state }) => state === "confirmed");
    const item = world.modules.store.view.findUid(done?.item.uid ?? "")?.key;
    const one = [`edits/${parked}`, `calendar/items/${item}`];
    const more = [`edits/${done?.id}/undo`, "edits/file", "calendar/new", "feeds/1", "nowhere"];
    const looks = [
      { page: await open(dark), who: "admin", paths: ["", "edits", ...one, ...more] },
      { page: await open(light), who: "admin", paths: one },
      { page: await open(dark), who: "Ben", paths: ["", "me", "people"] },
      { page: await open(light), who: "nobody", paths: ["login", "login/nothing", "edits"] },
    ];
    for (const { page, who, paths } of looks) {
      if (who === "admin") await enter(page, "");
      else if (who !== "nobody") await logIn(page, who);
      for (const path of paths) {
        const answer = await page.goto(`${world.url}/${path}`);
        expect(answer?.status(), path).toBeLessThan(500);
        expect(await barriers(page), path).toEqual([]);
        expect(await overhang(page), path).toBe(0);
        expect(await page.getByRole("heading", { level: 1 }).count(), path).toBe(1);
      }
    }
    for (const fault of expectedFaults()) expect(fault).toMatch(/status of (?:401|403|404|410)/);
  });
});

async function streamText(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const part of stream) text += part.toString();
  return text;
}

/** The pixels of a picture as browsers accept it. Source: PNG, third edition, 7 and 9 (8 bits a sample, no interlace). */
function pixelsOfPng(png: Buffer) {
  const [width, height, samples] = [
    png.readUInt32BE(16),
    png.readUInt32BE(20),
    png[25] === 6 ? 4 : 3,
  ];
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const line = width * samples;
  const plain = new Uint8Array(line * height);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (line + 1)] ?? 0;
    for (let column = 0; column < line; column++) {
      const here = row * line + column;
      const left = column < samples ? 0 : (plain[here - samples] ?? 0);
      const up = row === 0 ? 0 : (plain[here - line] ?? 0);
      const corner = row === 0 || column < samples ? 0 : (plain[here - line - samples] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      plain[here] = (raw[row * (line + 1) + 1 + column] ?? 0) + guess;
    }
  }
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let sample = 0; sample < 3; sample++)
      data[pixel * 4 + sample] = plain[pixel * samples + sample] ?? 0;
  }
  return { width, height, data };
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value));
  if (a !== undefined && b !== undefined && c !== undefined && a <= b && a <= c) return left;
  return b !== undefined && c !== undefined && b <= c ? up : corner;
}
