import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import type { Sandbox } from "@dayferry/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Daemon, type Installation, install, serve } from "../support/dayferry.ts";
import { eventually, letPass } from "../support/eventually.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

// The channels that nobody calls, over a real daemon: a file in the watched folder, and a subscribed calendar.

let sandbox: Sandbox;
let remote: Server;
let place: Installation;
let daemon: Daemon;
let inbox: string;
let project: number;
let published = calendar();
let fetched = 0;

beforeAll(async () => {
  sandbox = await testSandbox({ size: "s" });
  remote = createServer((_request, response) => {
    fetched++;
    response.writeHead(200, { "content-type": "text/calendar" }).end(published);
  });
  await new Promise<void>((resolve) => remote.listen(0, "127.0.0.1", resolve));
  const address = remote.address();
  const port = typeof address === "object" && address ? address.port : 0;
  project = sandbox.workspace.places()[0]?.project ?? 0;
  const url = `http://127.0.0.1:${port}/calendar/ical/secret-0a1b2c/basic.ics`;
  place = install(sandbox, {
    edits: {
      inbox: "./inbox",
      subscriptions: [
        {
          name: "Ana's calendar",
          url,
          project,
          every: "PT0.5S",
          new: "create",
          gone: "delete",
          allowPrivate: true,
        },
        { name: "Not allowed", url, project, every: "PT1S" },
      ],
    },
  });
  inbox = join(place.folder, "inbox");
  published = calendar(
    vevent("private@example.com", "SUMMARY:Choir practice", "DTSTART:20270301T080000Z"),
  );
  daemon = await serve(place);
});

afterAll(async () => {
  await daemon?.stop();
  await new Promise((resolve) => remote?.close(resolve));
  await sandbox?.close();
  place?.dispose();
});

describe("the watched folder", () => {
  it("applies a file to the workspace, and moves it with its report", async () => {
    mkdirSync(join(inbox, String(project)), { recursive: true });
    const file = calendar(
      vevent("dropped@example.com", "SUMMARY:Dropped in a folder", "DTSTART;VALUE=DATE:20270401"),
    );
    const path = join(inbox, String(project), "plan.ics");
    writeFileSync(path, file.slice(0, 90));
    await letPass(1500);
    expect(existsSync(path)).toBe(true);
    writeFileSync(path, file);

    await eventually("the event is in the workspace", () => titled("Dropped in a folder"));
    const report = join(inbox, "done", String(project), "plan.ics.report.txt");
    await eventually("the file is put away", () => (existsSync(report) ? true : null));
    expect(readFileSync(report, "utf8")).toContain("created the event Dropped in a folder");
    expect(existsSync(path)).toBe(false);
    expect((await status()).inbox).toMatchObject({ problem: null, folder: inbox });
  });

  it("refuses an invalid file, with the reason beside it", async () => {
    writeFileSync(join(inbox, "page.ics"), "<html>Please sign in</html>");
    const report = join(inbox, "refused", "page.ics.report.txt");
    await eventually("the file is refused", () => (existsSync(report) ? true : null));
    expect(readFileSync(report, "utf8")).toContain("refused: line 1: the file is a web page");
  });
});

describe("a subscribed calendar", () => {
  it("applies a new event, its change and its deletion to the workspace", async () => {
    await eventually("the baseline is there", async () => {
      const { subscriptions } = await status();
      return subscriptions[0]?.state === "watched" ? true : null;
    });
    const choir = vevent(
      "private@example.com",
      "SUMMARY:Choir practice",
      "DTSTART:20270301T080000Z",
    );
    const meeting = (title: string, day: string) =>
      vevent("met@example.com", `SUMMARY:${title}`, `DTSTART;VALUE=DATE:${day}`);
    published = calendar(choir, meeting("Met in Ana's calendar", "20270402"));
    const { id } = await eventually("it is created", () => titled("Met in Ana's calendar"));
    expect(titled("Choir practice")).toBeNull();

    published = calendar(choir, meeting("Met later", "20270409"));
    const moved = await eventually("it is changed", () => titled("Met later"));
    expect(moved).toMatchObject({ id, start: "2027-04-09 00:00" });

    published = "<html>Too many requests</html>";
    const seen = fetched;
    await eventually("the page was fetched", () => (fetched > seen ? true : null));
    expect(titled("Met later")).not.toBeNull();

    published = calendar(choir);
    await eventually("it is deleted", () => (titled("Met later") ? null : true));
  });

  it("shows its state, and never its address", async () => {
    const { subscriptions } = await status();
    expect(subscriptions).toMatchObject([
      { name: "Ana's calendar", project, items: 1 },
      { name: "Not allowed", state: "failing", problem: expect.stringContaining("allowPrivate") },
    ]);
    const page = await startPage();
    expect(page).toContain("Ana&#39;s calendar");
    expect(page).toContain("Not allowed: the address is in a private network");
    expect(daemon.log()).toContain("subscription changed");
    for (const told of [page, daemon.log(), JSON.stringify(await status())]) {
      expect(told).not.toContain("secret-0a1b2c");
    }
  });
});

const by = () => ({ by: ownerOf(sandbox), project });

function titled(title: string) {
  const events = sandbox.workspace.events.list(by(), { view: "all" });
  return events.find((event) => event.title === title) ?? null;
}

async function status(): Promise<{
  readonly inbox: Readonly<Record<string, unknown>>;
  readonly subscriptions: readonly Readonly<Record<string, unknown>>[];
}> {
  return JSON.parse(await (await daemon.ask("/api/status")).text());
}

async function startPage(): Promise<string> {
  const entered = await fetch(`${daemon.url}/?token=${daemon.token}`, { redirect: "manual" });
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  return (await fetch(`${daemon.url}/`, { headers: { cookie } })).text();
}

function vevent(uid: string, ...lines: readonly string[]): string {
  return ["BEGIN:VEVENT", `UID:${uid}`, ...lines, "END:VEVENT"].join("\r\n");
}

function calendar(...components: readonly string[]): string {
  const head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//tests//EN"];
  return [...head, ...components, "END:VCALENDAR", ""].join("\r\n");
}
