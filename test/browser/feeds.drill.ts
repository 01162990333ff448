import type { Sandbox } from "@dayferry/sandbox";
import { afterAll, beforeAll, expect, it } from "vitest";
import { barriers, describeInBrowser, oneBrowser, overhang } from "../support/browser.ts";
import { type Installation, install } from "../support/dayferry.ts";
import { letPass } from "../support/eventually.ts";
import { serveHere } from "../support/in-process.ts";
import { testSandbox } from "../support/sandbox.ts";

describeInBrowser("feeds", () => {
  const { open } = oneBrowser();
  let sandbox: Sandbox;
  let installation: Installation;
  let daemon: Awaited<ReturnType<typeof serveHere>>;

  beforeAll(async () => {
    sandbox = await testSandbox();
    installation = install(sandbox);
    daemon = await serveHere(installation);
  });
  afterAll(async () => {
    await daemon.stop();
    await sandbox.close();
    installation.dispose();
  });

  it("are created, fetched, rotated and ended in a browser", async () => {
    const page = await open();
    await page.goto(`${daemon.url}/?token=${daemon.adminToken}`);
    await page.getByRole("link", { name: "Feeds" }).first().click();
    await page.getByText("Choose what it shows").click();
    await page.getByLabel("Source").selectOption({ label: "All projects" });
    await page.getByLabel("Name").fill("Open tasks");
    await page.getByLabel("Events").uncheck();
    await page.getByLabel("Milestones").uncheck();
    await page.getByRole("button", { name: "Create feed" }).click();
    await page.getByRole("heading", { name: "Open tasks" }).waitFor();
    expect(await page.getByText("tasks and subtasks of all projects").count()).toBe(1);

    const address = await page.getByRole("textbox", { name: "Address" }).inputValue();
    expect(address).toMatch(/\/feeds\/[0-9a-v]{32}\/open-tasks\.ics$/);
    const agent = { "user-agent": "Google-Calendar-Importer" };
    const fetched = await fetch(address, { headers: agent });
    expect(fetched.status).toBe(200);
    expect(await fetched.text()).toContain("X-WR-CALNAME:Open tasks\r\n");
    await page.reload();
    await page.getByText("Google · fetched once").waitFor();

    await page.getByRole("button", { name: "Make a new address…" }).click();
    await page.getByRole("heading", { name: "Make a new address for Open tasks?" }).waitFor();
    await page.getByRole("button", { name: "Make a new address" }).click();
    await page.getByRole("heading", { name: "Open tasks" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Address" }).inputValue()).not.toBe(address);
    expect((await fetch(address)).status).toBe(404);
    // The page learns of the end while the answer is still on its way.
    await page.route("**", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      const response = await route.fetch({ maxRedirects: 0 });
      await letPass(1000);
      return route.fulfill({ response });
    });
    await page.getByRole("button", { name: "End this feed…" }).click();
    await page.getByRole("heading", { name: /^End the feed / }).waitFor();
    await page.getByRole("button", { name: "End this feed" }).click();
    await page.getByRole("heading", { name: "New feed" }).waitFor();
    expect(await page.getByRole("link", { name: "Open tasks" }).count()).toBe(0);
  });

  it("are created once, however often the button is pressed", async () => {
    const page = await open();
    await page.goto(`${daemon.url}/?token=${daemon.adminToken}`);
    await page.goto(`${daemon.url}/feeds`);
    await page.getByText("Choose what it shows").click();
    await page.getByLabel("Source").selectOption({ label: "All projects" });
    await page.getByLabel("Name").fill("Pressed twice");
    await page.getByRole("button", { name: "Create feed" }).dblclick();
    await page.getByRole("heading", { name: "Pressed twice" }).waitFor();
    await page.goto(`${daemon.url}/feeds`);
    expect(await page.getByRole("link", { name: "Pressed twice", exact: true }).count()).toBe(1);
  });

  it.each([
    ["desktop", "light"],
    ["phone", "dark"],
  ] as const)("and the Connect page are accessible on a %s, %s", async (device, scheme) => {
    const page = await open({ device, scheme });
    await page.goto(`${daemon.url}/?token=${daemon.adminToken}`);
    for (const path of ["feeds", "feeds/1", "connect"]) {
      await page.goto(`${daemon.url}/${path}`);
      expect(await barriers(page), path).toEqual([]);
      expect(await overhang(page), path).toBe(0);
    }
  });
});
