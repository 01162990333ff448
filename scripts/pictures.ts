// Takes the pictures of docs/pictures: starts the demo, waits until its story is told, and looks at its pages as somebody would.
// A page that this version does not have is left out, and said.
//   npm run build && npx node scripts/pictures.ts
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { chromiumPath } from "../test/support/chromium.ts";
import { startDemo } from "../test/support/running-demo.ts";

interface Picture {
  readonly name: string;
  /** Below the start page. */
  readonly path: string;
  readonly device?: "phone";
  /** Links to follow from there, one after another. */
  readonly follow?: readonly RegExp[];
}

const pictures: readonly Picture[] = [
  { name: "today", path: "" },
  { name: "calendar", path: "calendar" },
  { name: "edits", path: "edits" },
  { name: "conflict", path: "edits?state=waiting", follow: [/Weekly call/] },
  { name: "feeds", path: "feeds" },
  { name: "connect", path: "connect" },
  { name: "milestones", path: "reports/milestones" },
  { name: "people", path: "people" },
  { name: "status", path: "status" },
  { name: "mail", path: "people", follow: [/^Not saved: Redirects/, /^As a mail program/] },
  { name: "mail-reminder", path: "people", follow: [/^Due tomorrow/, /^As a mail program/] },
  { name: "phone", path: "calendar", device: "phone" },
  { name: "phone-edits", path: "edits", device: "phone" },
];

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "docs", "pictures");
/** Limit of a picture's size, to keep the checkout small. */
const mostBytes = 200_000;
const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

if (chromiumPath === null) throw new Error("no Chromium is on the PATH; CHROMIUM can name one");
mkdirSync(folder, { recursive: true });
const demo = await startDemo();
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
try {
  const { start } = demo;
  for (const picture of pictures) await take(picture, { browser, start });
} finally {
  await browser.close();
  await demo.stop();
}

async function take(
  { name, path, device, follow }: Picture,
  { browser, start }: { readonly browser: Browser; readonly start: string },
): Promise<void> {
  const context = await browser.newContext({
    viewport: sizes[device ?? "desktop"],
    isMobile: device === "phone",
    colorScheme: "light",
    reducedMotion: "reduce",
    timezoneId: "Europe/Berlin",
    locale: "en-GB",
  });
  try {
    const page = await context.newPage();
    await page.goto(start);
    const answer = await page.goto(new URL(`/${path}`, start).href);
    if (!answer?.ok()) {
      console.log(`${name}: there is no page ${path} (${answer?.status()})`);
      return;
    }
    for (const name of follow ?? []) {
      await page.locator("main").getByRole("link", { name }).first().click();
    }
    // Calendar and live sections are loaded when the network is idle except for the open stream.
    await page.waitForTimeout(1000);
    const file = join(folder, `${name}.png`);
    await page.screenshot({ path: file });
    const { size } = statSync(file);
    if (size > mostBytes) throw new Error(`${file} has ${size} bytes, more than ${mostBytes}`);
    console.log(`${name}: ${size} bytes`);
  } finally {
    await context.close();
  }
}
