import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, describe, expect } from "vitest";
import { chromiumPath } from "./chromium.ts";

/** The size of the window. */
export interface Looking {
  readonly device?: "desktop" | "phone";
  readonly scheme?: "light" | "dark";
  /** Of the browser, an IANA name. */
  readonly zone?: string;
  readonly script?: "on" | "off";
  /** Of the browser, as BCP 47 code. */
  readonly locale?: string;
}

const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

/** Like `describe`; skipped by name without Chromium. */
export function describeInBrowser(name: string, tests: () => void): void {
  describe.skipIf(chromiumPath === null)(name, tests);
}

/**
 * One browser for a file of tests, which starts with the first page and closes by itself. A page that writes to its
 * console, fails, or is refused something by its policy fails its test at the end.
 */
export function oneBrowser() {
  let browser: Promise<Browser> | null = null;
  let contexts: readonly BrowserContext[] = [];
  let faults: string[] = [];

  afterEach(async () => {
    const told = faults;
    faults = [];
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    expect(told).toEqual([]);
  });
  afterAll(async () => (await browser)?.close());

  return {
    /** Another person's browser: no cookie is shared. */
    open: async ({
      device = "desktop",
      scheme = "light",
      zone = "Europe/Berlin",
      script = "on",
      locale = "en-GB",
    }: Looking = {}): Promise<Page> => {
      browser ??= chromium.launch({
        executablePath: chromiumPath ?? "",
        args: ["--no-sandbox", "--disable-gpu"],
      });
      const context = await (await browser).newContext({
        viewport: sizes[device],
        isMobile: device === "phone",
        hasTouch: device === "phone",
        colorScheme: scheme,
        timezoneId: zone,
        javaScriptEnabled: script === "on",
        locale,
      });
      contexts = [...contexts, context];
      const page = await context.newPage();
      page.on("console", (message) => {
        const isTrouble = message.type() === "error" || message.type() === "warning";
        if (isTrouble) faults.push(`console: ${message.text()}`);
      });
      page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
      await page.exposeFunction("noteViolation", (what: string) => faults.push(`policy: ${what}`));
      await page.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
        noteViolation(event.violatedDirective + " " + event.blockedURI))`);
      return page;
    },
    /** Drops the complaints that a test has provoked on purpose. */
    expectedFaults: (): readonly string[] => {
      const told = faults;
      faults = [];
      return told;
    },
  };
}

/** Barriers that axe-core finds on a page: serious and critical ones, one line each. */
export async function barriers(page: Page): Promise<readonly string[]> {
  // The page's policy runs no text: the browser's debugger may.
  await page.evaluate(axe.source);
  const found: unknown = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
  const { violations }: { violations?: axe.Result[] } = Object(found);
  return (violations ?? [])
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) => `${id} (${help}): ${target.join(" ")} ${failureSummary}`,
      ),
    );
}

/**
 * How much wider a page is than its window, or on a phone a table than its card, in CSS pixels: more than 0 needs
 * horizontal scrolling.
 */
export const overhang = (page: Page): Promise<number> =>
  page.evaluate(`Math.max(...[document.documentElement, ...document.querySelectorAll(
    innerWidth < 640 ? ".stacked" : "html")].map((each) => each.scrollWidth - each.clientWidth))`);
