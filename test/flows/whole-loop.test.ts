import type { Sandbox } from "@dayferry/sandbox";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Daemon, type Installation, install, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

// The product's main job over real processes and sockets: workspace → mirror → feed → edit → workspace → mail.

let sandbox: Sandbox;
let post: MailHost;
let place: Installation;
let daemon: Daemon;

beforeAll(async () => {
  sandbox = await testSandbox({ size: "s" });
  post = await startMailHost();
  place = install(sandbox, {
    mail: { from: "Dayferry <dayferry@example.com>", smtpUrl: post.url },
  });
  daemon = await serve(place);
});

afterAll(async () => {
  await daemon?.stop();
  await post?.close();
  await sandbox?.close();
  place?.dispose();
});

describe("the whole loop", () => {
  it("publishes a feed per project with the workspace's contents", async () => {
    const feeds = await listFeeds();
    expect(new Set(feeds.map(({ projectId }) => projectId))).toEqual(
      new Set(sandbox.workspace.places().map(({ project }) => project)),
    );
    const text = await fetchFeed(feeds[0]?.url ?? "");
    expect(text.startsWith("BEGIN:VCALENDAR\r\n")).toBe(true);
    expect(text.match(/BEGIN:VEVENT/g)?.length).toBeGreaterThan(5);
  });

  it("applies an uploaded edit to the workspace and shows it at once", async () => {
    const { project, url } = await someFeed();
    const event = anEvent(project);
    const uid = uidIn(await fetchFeed(url), `event-${event.id}@`);
    const answer = await upload(project, [
      "BEGIN:VEVENT",
      `UID:${uid}`,
      "SUMMARY:Moved by a calendar",
      "DTSTART;TZID=Europe/Berlin:20270311T101500",
      "DTEND;TZID=Europe/Berlin:20270311T111500",
      "END:VEVENT",
    ]);
    expect(answer.status).toBe(202);
    expect(unfolded(await fetchFeed(url))).toContain("SUMMARY:Moved by a calendar");

    const held = await eventually("the edit is in the workspace", () => {
      const now = sandbox.workspace.events.get({ by: owner(), project, event: event.id });
      return now.title === "Moved by a calendar" ? now : null;
    });
    expect(held).toMatchObject({ start: "2027-03-11 10:15", end: "2027-03-11 11:15" });
    await eventually("the edit is confirmed", async () => {
      const { edits } = await json<{ edits: { state: string; item: { uid: string } }[] }>(
        "/api/edits",
      );
      return edits.find(({ item }) => item.uid === uid)?.state === "confirmed" ? true : null;
    });
  });

  it("creates one event from a new UID, even if the file comes twice", async () => {
    const { project, url } = await someFeed();
    const lines = [
      "BEGIN:VEVENT",
      "UID:born-in-a-calendar@example.com",
      "SUMMARY:Born in a calendar",
      "DTSTART;VALUE=DATE:20270401",
      "END:VEVENT",
    ];
    expect((await upload(project, lines)).status).toBe(202);
    expect((await upload(project, lines)).status).toBe(202);
    const made = () =>
      sandbox.workspace.events
        .list({ by: owner(), project }, { view: "all" })
        .filter(({ title }) => title === "Born in a calendar");
    await eventually("the event is in the workspace", () => (made().length > 0 ? true : null));
    await eventually("a sweep has seen it", async () => {
      const { journal } = await json<{ journal: Record<string, number> }>("/api/status");
      return (journal["pending"] ?? 0) + (journal["claimed"] ?? 0) === 0 ? true : null;
    });
    expect(made()).toHaveLength(1);
    const feed = await fetchFeed(url);
    expect(feed.match(/UID:born-in-a-calendar@example.com/g)).toHaveLength(1);
    expect(feed.match(/SUMMARY:Born in a calendar/g)).toHaveLength(1);
  });

  it("shows changes by others in the workspace", async () => {
    const { project, url } = await someFeed();
    const { id } = sandbox.workspace.events.create(
      { by: owner(), project },
      {
        title: "Made by someone else",
        start: "2027-05-04",
        all_day: true,
      },
    );
    await eventually("the event is in the feed", async () =>
      (await fetchFeed(url)).includes("SUMMARY:Made by someone else") ? true : null,
    );
    sandbox.workspace.events.remove({ by: owner(), project, event: id });
    await eventually("the event has left the feed", async () =>
      (await fetchFeed(url)).includes("SUMMARY:Made by someone else") ? null : true,
    );
  });

  it("sends an event's reminder to each assignee", async () => {
    const { project } = await someFeed();
    const people = sandbox.keys.slice(0, 2);
    const start = Temporal.Now.zonedDateTimeISO("Europe/Berlin").add({ minutes: 31 });
    sandbox.workspace.events.create(
      { by: owner(), project },
      {
        title: "Reminded of",
        start: start.toString({ timeZoneName: "never", smallestUnit: "second" }),
        end: start.add({ hours: 1 }).toString({ timeZoneName: "never", smallestUnit: "second" }),
        all_day: false,
        reminder: 45,
        assigned: people.map(({ personId }) => personId),
      },
    );
    const mails = await eventually("both mails are there", () => {
      const found = post.mails.filter(({ subject }) => subject?.includes("Reminded of"));
      return found.length >= 2 ? found : null;
    });
    expect(mails).toHaveLength(2);
    expect(new Set(mails.map(({ to }) => to?.[0]?.address))).toEqual(
      new Set(people.map(({ email }) => email)),
    );
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(2);
  });

  it("never exceeds the quota", () => {
    expect(sandbox.requests.entries().filter(({ status }) => status === 429)).toEqual([]);
  });
});

const owner = () => ownerOf(sandbox);

async function json<Body>(path: string): Promise<Body> {
  return JSON.parse(await (await daemon.ask(path)).text());
}

async function listFeeds() {
  return (await json<{ feeds: { projectId: number; url: string }[] }>("/api/feeds")).feeds;
}

async function someFeed() {
  const [feed] = await listFeeds();
  if (!feed) throw new Error("no feed");
  return { project: feed.projectId, url: feed.url };
}

const fetchFeed = async (url: string) => (await fetch(url)).text();
const unfolded = (text: string) => text.replaceAll("\r\n ", "");

function uidIn(feed: string, beginning: string): string {
  const uid = new RegExp(`^UID:(${beginning}.*)$`, "m").exec(unfolded(feed))?.[1]?.trim();
  if (!uid) throw new Error(`no UID ${beginning} in the feed`);
  return uid;
}

function anEvent(project: number) {
  const events = sandbox.workspace.events.list({ by: owner(), project }, { view: "events" });
  const today = Temporal.Now.plainDateISO("Europe/Berlin").toString();
  const event = events.find((it) => !it.all_day && !it.private && String(it.start) > today);
  if (!event) throw new Error("the seed has no timed event ahead");
  return event;
}

async function upload(project: number, component: readonly string[]): Promise<Response> {
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//test//EN",
    ...component,
    "END:VCALENDAR",
    "",
  ];
  return daemon.ask(`/api/edits?project=${project}`, {
    method: "POST",
    headers: { "content-type": "text/calendar" },
    body: lines.join("\r\n"),
  });
}

interface MailHost {
  readonly url: string;
  readonly mails: Email[];
  close(): Promise<void>;
}

async function startMailHost(): Promise<MailHost> {
  const mails: Email[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, _session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        callback();
        void PostalMime.parse(Buffer.concat(chunks)).then((mail) => mails.push(mail));
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
