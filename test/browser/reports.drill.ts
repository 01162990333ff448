import type { Sandbox } from "@dayferry/sandbox";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { barriers, describeInBrowser, oneBrowser, overhang } from "../support/browser.ts";
import { type Installation, install } from "../support/dayferry.ts";
import { serveHere } from "../support/in-process.ts";
import { testSandbox } from "../support/sandbox.ts";

describeInBrowser("the pages of reports", () => {
  const { open } = oneBrowser();
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

  const enter = async (page: Page, path: string) => {
    await page.goto(`${daemon.url}/?token=${daemon.adminToken}`);
    await page.goto(`${daemon.url}/${path}`);
  };
  const look = async (page: Page, name: string) => {
    expect(await barriers(page), name).toEqual([]);
    expect(await overhang(page), name).toBe(0);
  };

  for (const [device, scheme, names] of [
    ["desktop", "light", ["workload", "milestones", "hours", "changes"]],
    ["phone", "dark", ["milestones", "slippage"]],
  ] as const) {
    it(`have nothing in anybody's way on a ${device} in ${scheme} colours`, async () => {
      const page = await open({ device, scheme });
      await enter(page, "reports");
      for (const name of names) {
        await page.goto(`${daemon.url}/reports/${name}`);
        await look(page, name);
      }
    });
  }

  it.each(["milestones", "hours"])("show the whole drawing of %s on a phone", async (name) => {
    const page = await open({ device: "phone" });
    await enter(page, `reports/${name}`);
    const drawings = page.locator(".chart svg");
    const seen = await drawings.evaluateAll((all) => all.map((each) => each.checkVisibility()));
    expect(seen).toEqual([false, true]);
    const { clientWidth, scrollWidth } = await page
      .locator(".chart")
      .evaluate((chart) => ({ clientWidth: chart.clientWidth, scrollWidth: chart.scrollWidth }));
    expect(scrollWidth).toBe(clientWidth);
    // Nothing is drawn outside the picture.
    const outside = await page.locator(".chart svg.narrow").evaluate((svg) => {
      const frame = svg.getBoundingClientRect();
      return [...svg.querySelectorAll("text")]
        .filter((text) => {
          const { left, right } = text.getBoundingClientRect();
          return left < frame.left - 1 || right > frame.right + 1;
        })
        .map((text) => text.textContent);
    });
    expect(outside).toEqual([]);
  });

  it("are filtered, paged and downloaded without a script", async () => {
    const page = await open({ script: "off" });
    await enter(page, "reports");
    await page.getByRole("link", { name: "Items", exact: true }).click();
    await page.getByText("Filters", { exact: true }).click();
    await page.getByLabel("Maximum rows").fill("120");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("link", { name: "Next" }).click();
    expect(await page.getByText("51–100 of 120 rows").isVisible()).toBe(true);
    await page.getByLabel("Page", { exact: true }).fill("3");
    await page.getByRole("button", { name: "Go" }).click();
    expect(await page.getByText("101–120 of 120 rows").isVisible()).toBe(true);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV, for spreadsheets" }).click();
    expect((await download).suggestedFilename()).toMatch(/^items-.*\.csv$/);
  });
});
