import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "@dayferry/sandbox";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ownFolders } from "../../src/http/assets.ts";
import { barriers, describeInBrowser, oneBrowser, overhang } from "../support/browser.ts";
import { type Installation, install } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { serveHere } from "../support/in-process.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

describeInBrowser("the calendar", () => {
  const { open, expectedFaults } = oneBrowser();
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

  /** The workspace's own items with a title. */
  function inWorkspace(title: string) {
    const by = ownerOf(sandbox);
    const all = sandbox.workspace
      .places()
      .flatMap(({ project }) => sandbox.workspace.events.list({ by, project }, { view: "all" }));
    return all.find((event) => event.title === title) ?? null;
  }

  async function enter(page: Page, path: string): Promise<void> {
    await page.goto(`${daemon.url}/?token=${daemon.adminToken}`);
    await page.goto(`${daemon.url}/${path}`);
  }

  /** Makes an event by the form with the keyboard only, and waits until the workspace has it. */
  async function make(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
    const { title = "", ...times } = fields;
    await enter(page, `calendar/new?on=${day}&at=10:00&until=11:00`);
    await page.getByLabel("Title").fill(title);
    await page.getByLabel("Project").selectOption({ index: 1 });
    for (const [label, value] of Object.entries(times)) await page.getByLabel(label).fill(value);
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Follow the edit").waitFor();
    await eventually(`the workspace has ${title}`, () => inWorkspace(title));
  }

  /** Drags from the middle of one to the middle of another in steps, like a hand. */
  async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
    await page.evaluate("document.querySelector('#calendar').scrollIntoView()");
    // The calendar replaces its entries when it reloads them: for a moment they have no place.
    const [start, end] = await eventually("both are shown", async () => {
      const [start, end] = [await from.boundingBox(), await to.boundingBox()];
      return start && end ? ([start, end] as const) : null;
    });
    await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
    await page.mouse.down();
    await page.mouse.move(end.x + end.width / 2, end.y + end.height / 2, { steps: 20 });
    await page.mouse.up();
  }

  /** A month fills its window: here its days have room for everything that these tests make. */
  const withRoom = async (page: Page): Promise<void> => {
    const width = page.viewportSize()?.width ?? 1280;
    await page.setViewportSize({ width, height: 3000 });
  };

  const day = "2026-11-25";
  const cell = (page: Page, on: string) => page.locator(`#calendar [data-date="${on}"]`).first();
  const entry = (page: Page, title: string) =>
    page.locator("#calendar .is-item").filter({ hasText: title }).first();

  for (const zone of ["America/New_York", "Asia/Tokyo"]) {
    it(`moves an event by dragging, seen from ${zone}`, async () => {
      const title = `Dragged from ${zone}`;
      const page = await open({ zone });
      await withRoom(page);
      await make(page, { title });
      await page.goto(`${daemon.url}/calendar?on=${day}`);
      await entry(page, title).waitFor();
      await drag(page, entry(page, title), cell(page, "2026-11-26"));
      const toast = page.locator("#toast");
      await toast.getByText("Thu 26 Nov 2026, 10:00–11:00 (Europe/Berlin)").waitFor();
      const moved = await eventually("the workspace has it on the next day", () => {
        const event = inWorkspace(title);
        return event?.start.startsWith("2026-11-26") ? event : null;
      });
      expect(moved.start).toContain("10:00");
      expect(moved.end).toContain("11:00");
    });
  }

  it.each([
    { while: "nothing else happens", title: "Made longer", other: null },
    { while: "the calendar is read again", title: "Longer as well", other: "Made meanwhile" },
  ])("makes an event longer by dragging its end while $while", async ({ title, other }) => {
    const page = await open();
    await make(page, { title });
    await page.goto(`${daemon.url}/calendar?on=${day}&view=timeGridWeek`);
    const shown = entry(page, title);
    await shown.waitFor();
    await shown.evaluate("(element) => element.scrollIntoView({ block: 'center' })");
    // Its end can be dragged once the pointer is above it.
    await shown.hover();
    const hours = ["11:00", "12:00"].map((hour) =>
      page.locator("#calendar").getByText(hour, { exact: true }).first(),
    );
    const [box, eleven, twelve] = await eventually("the week shows the event", async () => {
      const [box, eleven, twelve] = await Promise.all(
        [shown, ...hours].map((each) => each.boundingBox()),
      );
      return box && eleven && twelve ? ([box, eleven, twelve] as const) : null;
    });
    const [x, end] = [box.x + box.width / 2, box.y + box.height - 2];
    await page.mouse.move(x, end);
    await page.mouse.down();
    if (other !== null) {
      await page.mouse.move(x, end + 4, { steps: 4 });
      await make(await open(), { title: other });
      const isReadAnew = page.waitForResponse((response) => response.url().includes("from="));
      // The page's script redraws the list below.
      await page.evaluate("document.querySelector('#agenda').append('')");
      await isReadAnew;
      await page.evaluate("new Promise((resolve) => setTimeout(resolve, 200))");
    }
    await page.mouse.move(x, end + twelve.y - eleven.y, { steps: 20 });
    await page.mouse.up();
    const toast = page.locator("#toast");
    await toast.getByText("Wed 25 Nov 2026, 10:00–12:00 (Europe/Berlin)").waitFor();
    const longer = await eventually("the workspace has its new end", () => {
      const event = inWorkspace(title);
      return event?.end?.includes("12:00") ? event : null;
    });
    expect(longer.start).toContain(`${day} 10:00`);
    if (other !== null) await entry(page, other).waitFor();
  });

  it("restores a moved event by Undo", async () => {
    const title = "Put back";
    const page = await open();
    await withRoom(page);
    await make(page, { title });
    await page.goto(`${daemon.url}/calendar?on=${day}`);
    await entry(page, title).waitFor();
    await drag(page, entry(page, title), cell(page, "2026-11-27"));
    await page.locator("#toast").getByRole("button", { name: "Undo" }).click();
    await page.locator("#toast").getByText(`Undone: ${title}`).waitFor();
    await expect
      .poll(() => cell(page, day).locator(".is-item").filter({ hasText: title }).count())
      .toBe(1);
    await expect.poll(() => inWorkspace(title)?.start).toContain(`${day} 10:00`);
  });

  it("shows an item beside the month, and changes it there by keyboard alone", async () => {
    const title = "Beside the month";
    const page = await open();
    await withRoom(page);
    await make(page, { title });
    await page.goto(`${daemon.url}/calendar?on=${day}`);
    await entry(page, title).waitFor();
    await entry(page, title).focus();
    await page.keyboard.press("Enter");
    const sheet = page.getByRole("dialog", { name: title });
    await sheet.getByText("Wed 25 Nov 2026, 10:00–11:00 (Europe/Berlin)").waitFor();
    const other = "Made meanwhile";
    await make(await open(), { title: other });
    await entry(page, other).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => sheet.count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe("/calendar");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain(title);
    await page.keyboard.press("Enter");
    await sheet.getByLabel("Title").fill(`${title}, renamed`);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Save" }).press("Enter");
    await expect.poll(() => inWorkspace(`${title}, renamed`)?.start).toContain(day);
  });

  it.each([
    ["en-US", "Sun"],
    ["en-GB", "Mon"],
    ["de-DE", "Mo"],
  ])("begins a week as in the region of %s", async (locale, first) => {
    const page = await open({ locale });
    await enter(page, `calendar?date=${day}`);
    const head = page.locator("#calendar [role=columnheader]").first();
    await expect.poll(() => head.textContent()).toMatch(new RegExp(`^${first}`));
  });

  it("can be used by keyboard", async () => {
    const page = await open();
    await enter(page, `calendar?on=${day}`);
    const title = page.locator("#calendar h2, #calendar [role=heading]").first();
    await expect.poll(() => title.textContent()).toBe("November 2026");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => title.textContent()).toBe("December 2026");
    await page.keyboard.press("w");
    await expect.poll(() => page.url()).toContain("view=timeGridWeek");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("Go to today").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("no such words");
    await page.keyboard.press("Enter");
    await page.getByText("Nothing found").waitFor();
  });

  it("starts a new item where a day is chosen", async () => {
    const page = await open();
    await enter(page, `calendar?on=${day}`);
    await cell(page, "2026-11-12").waitFor();
    await cell(page, "2026-11-12").click({ position: { x: 40, y: 70 } });
    await page.getByLabel("Title").waitFor();
    expect(await page.getByLabel("First day").inputValue()).toBe("2026-11-12");
    expect(await page.getByLabel("Last day").inputValue()).toBe("2026-11-12");
  });

  it("shows an item and changes it without a script", async () => {
    const title = "By the form";
    const page = await open({ script: "off" });
    await make(page, { title });
    await page.goto(`${daemon.url}/calendar?on=${day}`);
    await page.getByRole("link", { name: title }).click();
    await page.getByLabel("From").fill("12:30");
    await page.getByLabel("Until").fill("13:00");
    await page.getByRole("button", { name: "Preview the change" }).click();
    await page.getByText("12:30–13:00").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await eventually("the workspace has the new time", () =>
      inWorkspace(title)?.start.includes("12:30") ? true : null,
    );
  });

  it("is restored on the way back from an item and after filtering", async () => {
    const page = await open();
    await make(page, { title: "Found again" });
    await enter(page, "calendar?on=2026-11-18");
    const shown = page.locator("#calendar [role=heading]").first();
    const view = (name: string) => page.locator("#calendar").getByText(name, { exact: true });
    await view("List").click();
    await page.getByRole("button", { name: "Next" }).click();
    const range = await shown.textContent();
    await entry(page, "Found again").click();
    await page.getByRole("link", { name: "Open page" }).click();
    await page.getByRole("heading", { level: 1, name: "Calendar" }).waitFor({ state: "detached" });
    await page.goBack();
    await expect.poll(() => shown.textContent()).toBe(range);
    await page.getByLabel("Subtasks").uncheck();
    // A filter applies at once, and the address keeps it with the days and the view.
    await expect
      .poll(() => new URL(page.url()).searchParams.getAll("kind"))
      .toEqual(["event", "milestone", "task"]);
    await page.reload();
    await expect.poll(() => shown.textContent()).toBe(range);
    expect(await page.getByLabel("Subtasks").isChecked()).toBe(false);
    expect(new URL(page.url()).searchParams.get("view")).toBe("listWeek");
    // The start is not in the address: tomorrow it is tomorrow.
    await page.goto(`${daemon.url}/calendar`);
    await page.getByRole("button", { name: "Next" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  it("shows the last start page offline, until somebody signs out", async () => {
    const page = await open();
    await enter(page, "");
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
    await page.reload();
    await page.goto(`${daemon.url}/feeds`);
    await page.context().setOffline(true);
    await page.reload();
    await page.getByText("You are offline.").waitFor();
    await page.getByRole("heading", { name: "Today", level: 1 }).waitFor();
    await page.context().setOffline(false);
    await page.goto(`${daemon.url}/feeds`);
    await page.getByRole("heading", { name: "Feeds", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    expect(await page.evaluate("caches.keys()")).toEqual([]);
    expect(expectedFaults().join()).toMatch(/^(?:.*ERR_INTERNET_DISCONNECTED.*)?$/s);
  });

  it("says if it can no longer be read", async () => {
    const page = await open();
    await enter(page, `calendar?on=${day}`);
    await page.locator("#calendar .is-item").first().waitFor();
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Next" }).click();
    const said = page.locator("#calendar-said");
    await expect.poll(() => said.textContent()).toContain("log in again");
    expect(expectedFaults().join()).toContain("401");
  });

  it("shows the morning first in a week", async () => {
    const page = await open();
    await enter(page, `calendar?on=${day}&view=timeGridWeek`);
    const hour = page.locator("#calendar").getByText("09:00", { exact: true }).first();
    await hour.waitFor();
    await page.evaluate("document.querySelector('#calendar').scrollIntoView()");
    // The hour itself is readable, neither cut off nor covered.
    const { x, y } = await eventually("an hour is shown", () => hour.boundingBox());
    const there = `document.elementFromPoint(${x + 4}, ${y + 4})?.textContent`;
    expect(await page.evaluate(there)).toBe("09:00");
  });

  it("shows more of a day in a popover that covers what is below it", async () => {
    const { events } = sandbox.workspace;
    const [place] = sandbox.workspace.places();
    const where = { by: ownerOf(sandbox), project: place?.project ?? 0 };
    const on = "2027-03-10";
    for (let nth = 0; nth < 8; nth++) {
      events.create(where, { title: `Crowd ${nth}`, start: on, end: on, all_day: true });
    }
    for (const scheme of ["light", "dark"] as const) {
      const page = await open({ scheme });
      await eventually("the events are shown", async () => {
        await enter(page, `calendar?on=${on}&view=dayGridMonth`);
        return (await page.getByText(/^\+\d+ more$/).count()) > 0 ? true : null;
      });
      await page
        .getByText(/^\+\d+ more$/)
        .first()
        .click();
      const popover = page.locator("[role=dialog]").last();
      await popover.getByText("Crowd 7").waitFor();
      const { PICTURES: pictures } = process.env;
      if (pictures) await page.screenshot({ path: `${pictures}/popover-${scheme}.png` });
      const colour = await page.evaluate(
        "getComputedStyle([...document.querySelectorAll('[role=dialog]')].at(-1)).backgroundColor",
      );
      expect(colour).toMatch(/^rgb\(|, 1\)$/);
    }
  });

  it("keeps a title of one long word within the page", async () => {
    const title = "Donaudampfschifffahrt".repeat(9);
    const page = await open({ device: "phone" });
    await withRoom(page);
    await make(page, { title });
    for (const view of ["listWeek", "timeGridWeek", "dayGridMonth"]) {
      await page.goto(`${daemon.url}/calendar?on=${day}&view=${view}`);
      await entry(page, title).waitFor();
      expect(await overhang(page), view).toBe(0);
    }
    await entry(page, title).click();
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    expect(await overhang(page)).toBe(0);
  });

  for (const [device, view] of [
    ["desktop", "Week"],
    ["desktop", "List"],
    ["phone", "List"],
    ["phone", "Month"],
  ] as const) {
    it(`keeps nobody out in the ${view.toLowerCase()} of a ${device}`, async () => {
      const page = await open({ device, scheme: view === "List" ? "dark" : "light" });
      await enter(page, `calendar?on=${day}`);
      await page.locator("#calendar").getByText(view, { exact: true }).first().click();
      await page.locator("#calendar").waitFor();
      expect(await barriers(page)).toEqual([]);
      expect(await overhang(page)).toBe(0);
      const isCut =
        "document.querySelector('#calendar').scrollWidth > document.querySelector('#calendar').clientWidth";
      if (view === "List") expect(await page.evaluate(isCut)).toBe(false);
    });
  }
});

it("loads less than 150 kB, compressed", () => {
  const packed = readdirSync(ownFolders.built).filter((name) => /^calendar-.*\.gz$/.test(name));
  const octets = packed.map((name) => statSync(join(ownFolders.built, name)).size);
  expect(octets.length).toBeGreaterThan(1);
  expect(octets.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
});
