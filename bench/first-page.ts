// What the start page of the demo costs a phone: octets of script and style, and the largest contentful paint, over a slow
// connection (1.6 Mbit/s, 150 ms) on a processor four times slower.
//   npm run build && npx node bench/first-page.ts [runs=5]
import { type Browser, chromium } from "playwright-core";
import { chromiumPath } from "../test/support/chromium.ts";
import { startDemo } from "../test/support/running-demo.ts";
import { numbersOf } from "./options.ts";

const { runs } = numbersOf({ runs: 5 });
const goals = { bytes: 60_000, paintMs: 1000 };

if (chromiumPath === null) throw new Error("no Chromium is on the PATH; CHROMIUM can name one");
const demo = await startDemo();
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
try {
  const { start } = demo;
  const rows = [];
  for (let run = 0; run < runs; run++) rows.push(await measure(browser, start));
  console.table(rows);
  const bytes = Math.max(...rows.map((row) => row.bytes));
  const paints = rows.map((row) => row.paintMs).toSorted((a, b) => a - b);
  const paintMs = paints[Math.floor(paints.length / 2)] ?? Number.NaN;
  console.log(
    `script and style: ${bytes} bytes (goal ${goals.bytes}); largest contentful paint, median: ${paintMs} ms (goal ${goals.paintMs})`,
  );
} finally {
  await browser.close();
  await demo.stop();
}

/** One visit with an empty cache. */
async function measure(from: Browser, start: string) {
  const context = await from.newContext({
    viewport: { width: 390, height: 844 },
    isMobile: true,
    serviceWorkers: "block",
  });
  try {
    const page = await context.newPage();
    // Signs in; the measured visit is the next one.
    await page.goto(start);
    const devtools = await context.newCDPSession(page);
    await devtools.send("Network.enable");
    await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
    await devtools.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 150,
      downloadThroughput: 1_600_000 / 8,
      uploadThroughput: 750_000 / 8,
    });
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    await page.goto(new URL("/", start).href, { waitUntil: "load" });
    return await page.evaluate(async () => {
      const paintMs = await new Promise<number>((resolve) => {
        new PerformanceObserver((list) =>
          resolve(list.getEntries().at(-1)?.startTime ?? 0),
        ).observe(
          // Types of Node, which does not know this one.
          Object({ type: "largest-contentful-paint", buffered: true }),
        );
      });
      const loaded = performance
        .getEntriesByType("resource")
        .filter((entry) => /\.(?:js|css)$/.test(entry.name));
      const sizes = loaded.map((entry) => Number(Object(entry).transferSize));
      return {
        bytes: sizes.reduce((sum, size) => sum + size, 0),
        files: loaded.length,
        paintMs: Math.round(paintMs),
      };
    });
  } finally {
    await context.close();
  }
}
