import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "@dayferry/sandbox";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ownFolders } from "../../src/http/assets.ts";
import { barriers, describeInBrowser, oneBrowser, overhang } from "../support/browser.ts";
import { type Installation, install } from "../support/dayferry.ts";
import { serveHere } from "../support/in-process.ts";
import { testSandbox } from "../support/sandbox.ts";

describeInBrowser("a first look", () => {
  const { open, expectedFaults } = oneBrowser();
  let sandbox: Sandbox;
  let installation: Installation;
  let daemon: Awaited<ReturnType<typeof serveHere>>;

  beforeAll(async () => {
    sandbox = await testSandbox({ size: "s" });
    installation = install(sandbox);
    daemon = await serveHere(installation);
  });
  afterAll(async () => {
    await daemon.stop();
    await sandbox.close();
    installation.dispose();
  });

  const enter = async (page: Page, path = "") => {
    await page.goto(`${daemon.url}/?token=${daemon.adminToken}`);
    if (path !== "") await page.goto(`${daemon.url}/${path}`);
  };

  it.each([
    ["desktop", "light"],
    ["phone", "dark"],
  ] as const)("has no accessibility problem on a %s in %s colours", async (device, scheme) => {
    const page = await open({ device, scheme });
    await page.goto(`${daemon.url}/`);
    expect(await barriers(page)).toEqual([]);
    await enter(page);
    expect(page.url()).toBe(`${daemon.url}/`);
    for (const path of await entries(page)) {
      await page.goto(path);
      expect(await barriers(page), path).toEqual([]);
      expect(await overhang(page), path).toBe(0);
      expect(await page.getByRole("heading", { level: 1 }).count(), path).toBe(1);
    }
  });

  it.each([
    ["de", "Deutsch", "Heute"],
    ["fr", "Français", "Aujourd’hui"],
    ["es", "Español", "Hoy"],
  ])("fits the narrowest phone in %s", async (code, name, today) => {
    const page = await open({ device: "phone" });
    await page.setViewportSize({ width: 360, height: 740 });
    await enter(page);
    await page.getByLabel("Language").selectOption(name);
    await page.getByRole("heading", { level: 1, name: today }).waitFor();
    const paths = await page.locator("nav.nav a").evaluateAll((all) => all.map(String));
    expect(paths.length).toBeGreaterThan(6);
    for (const path of [...paths, `${daemon.url}/search`, `${daemon.url}/calendar/new`]) {
      await page.goto(path);
      expect(await page.locator(`html[lang=${code}]`).count(), path).toBe(1);
      expect(await overhang(page), path).toBe(0);
      expect(await barriers(page), path).toEqual([]);
    }
  });

  it("shows every navigation entry on a phone", async () => {
    const page = await open({ device: "phone" });
    await enter(page);
    const hidden = await page.evaluate(`[...document.querySelectorAll("nav[aria-label=Pages] a")]
      .filter((link) => link.getBoundingClientRect().right > innerWidth)
      .map((link) => link.textContent)`);
    expect(hidden).toEqual([]);
  });

  it("shows an unknown address as a page", async () => {
    const page = await open();
    await enter(page, "nowhere/at/all");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Nothing here");
    await page.getByRole("link", { name: "start page" }).click();
    expect(page.url()).toBe(`${daemon.url}/`);
    expect(expectedFaults().join()).toContain("404");
  });

  it("keeps ages up to date on an open page, and says why and since when it cannot", async () => {
    const page = await open();
    await page.clock.install();
    await enter(page);
    const standing = page.locator("#standing");
    await page.evaluate(`document.querySelector("#standing").replaceChildren("long ago")`);
    const later = (what: () => Promise<string | null>) =>
      expect.poll(
        async () => {
          await page.clock.fastForward(31_000);
          return what();
        },
        { timeout: 40_000 },
      );
    await later(() => standing.textContent()).not.toBe("long ago");
    const said = page.locator("#live-said");
    const line = async () => ((await said.count()) === 0 ? "" : said.textContent());
    expect(await line()).toBe("");

    await page.route("**/*", (route) => route.abort());
    await later(line).toMatch(
      /^Dayferry does not respond\. This page is as it was at \d\d:\d\d\. Load it again$/,
    );
    await page.unroute("**/*");
    await later(line).toBe("");
    await page.context().clearCookies();
    await later(line).toContain("You are logged out.");
    expect(await barriers(page)).toEqual([]);
    await said.getByRole("link", { name: "Log in again" }).click();
    await page.getByLabel("App password").waitFor();
    for (const fault of expectedFaults()) expect(fault).toMatch(/net::ERR_FAILED|status of 401/);
  });

  it("works without a script", async () => {
    const page = await open({ script: "off" });
    await enter(page);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Today");
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("I run this Dayferry").click();
    await page.getByLabel("Admin token").fill(daemon.adminToken);
    await page.getByRole("button", { name: "Log in as admin" }).click();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Today");
  });

  it("can be gone through by keyboard, with the content one step away", async () => {
    const page = await open();
    await enter(page);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
  });
});

/** The addresses of the navigation. */
const entries = (page: Page): Promise<readonly string[]> =>
  page.evaluate("[...document.querySelectorAll('nav[aria-label=Pages] a')].map((a) => a.href)");

it("every page but the calendar loads less than 20 kB of script", () => {
  const manifest: Record<
    string,
    { file: string; isEntry?: boolean; name: string; imports?: string[] }
  > = JSON.parse(readFileSync(join(ownFolders.built, "manifest.json"), "utf8"));
  const sizeOf = (key: string): number => {
    const { file = "", imports = [] } = manifest[key] ?? {};
    const own = readFileSync(join(ownFolders.built, file)).length;
    return own + imports.reduce((sum, part) => sum + sizeOf(part), 0);
  };
  for (const [key, { isEntry, name }] of Object.entries(manifest)) {
    if (isEntry && name !== "calendar") expect(sizeOf(key), name).toBeLessThan(20_000);
  }
});
