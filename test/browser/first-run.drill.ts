import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Sandbox } from "@dayferry/sandbox";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { barriers, describeInBrowser, oneBrowser, overhang } from "../support/browser.ts";
import { program } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { serviceConfig, testSandbox } from "../support/sandbox.ts";
import { testDirectory } from "../support/test-store.ts";

describeInBrowser("the first run", () => {
  const { open, expectedFaults } = oneBrowser();
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await testSandbox();
  });
  afterAll(() => sandbox.close());

  /** `serve` in an empty folder, at an address that it keeps once it is set up. */
  async function serveNothing() {
    const cwd = testDirectory();
    const child = spawn(process.execPath, [program, "serve"], {
      cwd,
      env: { PATH: process.env["PATH"], DAYFERRY_PORT: String(await freePort()) },
    });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    const closed = new Promise((resolve) => child.on("close", resolve));
    onTestFinished(async () => {
      child.kill("SIGTERM");
      await closed;
    });
    const url = await eventually(
      "the set-up listens",
      () => /at (http:\S+\/setup\?token=\S+)\n/.exec(said)?.[1] ?? null,
    );
    const serving = () =>
      eventually("the daemon listens", () => /"url":"(http:[^"]+)"/.exec(said)?.[1] ?? null);
    return { cwd, url, serving };
  }

  /** Nothing blocks the reader, and nothing runs over the edge. */
  const isClear = async (page: Page) => {
    expect(await barriers(page), page.url()).toEqual([]);
    expect(await overhang(page), page.url()).toBe(0);
  };

  it.each([
    ["desktop", "light", "on"],
    ["phone", "dark", "off"],
  ] as const)(
    "leads on a %s in %s colours with script %s from the first answer to the first day",
    async (device, scheme, script) => {
      const { cwd, url, serving } = await serveNothing();
      const page = await open({ device, scheme, script });
      const seesClear = () => (script === "on" ? isClear(page) : Promise.resolve());
      const heading = () => page.getByRole("heading", { level: 1 }).textContent();
      await page.goto(url);
      expect(await heading()).toBe("Set up Dayferry");
      await seesClear();

      const { baseUrl, apiKey = "", contact, timeZone } = serviceConfig(sandbox);
      await page.getByLabel("Address of the service").fill(baseUrl);
      await page.getByLabel("API key").fill("wrong");
      await page.getByLabel("Your e-mail address").fill(contact);
      await page.getByLabel("Time zone of the account").fill(timeZone);
      // Said already while typing.
      if (script === "on") await page.locator("#apiKey-problem").waitFor();
      await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
      const field = page.getByLabel("API key");
      await page.locator("#apiKey-problem").waitFor();
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      expect(await page.getByLabel("Address of the service").inputValue()).toBe(baseUrl);
      await seesClear();
      expect(expectedFaults().join()).toMatch(script === "on" ? /400/ : /^(?:.*400.*)?$/);

      await field.fill(apiKey);
      if (script === "on") await page.getByText("The service accepts the API key.").waitFor();
      await page.getByRole("button", { name: "Test" }).click();
      expect(await heading()).toBe("Connection works");
      await seesClear();
      await page.getByRole("button", { name: `Check ${timeZone} with a test event` }).click();
      await page.getByText(`The service answers in ${timeZone}`).waitFor();
      expect(existsSync(join(cwd, "config.json"))).toBe(false);

      await page.getByRole("button", { name: "Save and start" }).click();
      expect(await heading()).toBe("Dayferry is set up");
      await seesClear();
      await serving();
      await page.getByRole("link", { name: "Log in and connect a calendar" }).click();
      await page.getByText("I run this Dayferry").click();
      const token = readFileSync(join(cwd, "data/admin-token"), "utf8").trim();
      await page.getByLabel("Admin token").fill(token);
      await page.getByRole("button", { name: "Log in as admin" }).click();
      expect(await heading()).toBe("Connect a program");
      await page.getByRole("link", { name: "Today" }).first().click();
      expect(await heading()).toBe("Today");
      const [project] = sandbox.workspace.places();
      const today = async () => {
        await page.reload();
        return page.locator("main").textContent();
      };
      await expect.poll(today).toContain(project?.title);
    },
  );
});

/** A port on which nobody listens. */
function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
