import { existsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Sandbox } from "@dayferry/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Daemon, type Installation, install, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { readBack } from "../support/read-back.ts";
import { testSandbox } from "../support/sandbox.ts";

// From a subscribed calendar's text into the workspace, over real processes: feed → link → page → button → service.

let sandbox: Sandbox;
let place: Installation;
let daemon: Daemon;
let task: number;

beforeAll(async () => {
  sandbox = await testSandbox();
  const made = sandbox.workspace.tasks.create(spot(), {
    title: "Order the banners",
    due_date: dueOn.toString(),
  });
  task = made.id;
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  place = install(sandbox, { http: { host: "127.0.0.1", port, publicUrl } });
  daemon = await serve(place);
});

afterAll(async () => {
  await daemon?.stop();
  await sandbox?.close();
  place?.dispose();
});

const dueOn = Temporal.Now.plainDateISO("Europe/Berlin").add({ days: 5 });

describe("an action link in a feed", () => {
  it("moves the task by a week, once, and then completes it", async () => {
    const week = await link("+1 week");
    const page = await (await fetch(week)).text();
    expect(page).toContain("Order the banners");
    const shown = /name="shown" value="([^"]*)"/.exec(page)?.[1] ?? "";
    expect(shown).toBe(dueOn.toString());
    expect(held().due_date).toBe(dueOn.toString());

    const answers = [await press(week, shown), await press(week, shown)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const later = dueOn.add({ days: 7 }).toString();
    await eventually("the workspace has the date", () => (held().due_date === later ? true : null));

    const result = await eventually("the page says so", async () => {
      const text = await (await fetch(answers[0]?.url ?? "")).text();
      return text.includes("Saved.") ? text : null;
    });
    expect(result).toContain("Moved from");
    const done = await press(await link("Done"), "");
    expect(done.status).toBe(200);
    await eventually("the workspace has it completed", () => (held().completed ? true : null));
    expect(held().due_date).toBe(later);
    expect(await link("Open again")).toContain("/act/");
    expect(await (await daemon.ask("/api/edits")).json()).toMatchObject({
      edits: [
        { channel: "link", action: "complete" },
        { channel: "link", action: "update" },
      ],
    });
  });

  it("has its key outside the database, readable for the owner alone", () => {
    const file = join(place.dataDir, "link-key");
    expect(existsSync(file)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("never appears in the log", () => {
    expect(daemon.log()).not.toContain("/act/");
  });
});

function spot() {
  const [first] = sandbox.workspace.places();
  const [list] = first?.lists ?? [];
  const by = sandbox.keys[0]?.personId;
  if (!first || !list || by === undefined) throw new Error("the sandbox has too few places");
  return { by, project: first.project, list };
}

const held = () => sandbox.workspace.tasks.get({ ...spot(), task });

/** An unused port: the address of links must be known before the daemon listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

/** The address of a link in the first feed. */
async function link(label: string): Promise<string> {
  const answer: { readonly feeds: readonly { readonly url: string }[] } = JSON.parse(
    await (await daemon.ask("/api/feeds")).text(),
  );
  const text = await (await fetch(answer.feeds[0]?.url ?? "")).text();
  const [event] = readBack(text).values();
  const line = event?.description.split("\n").find((one) => one.startsWith(`— ${label}: `));
  if (!line) throw new Error(`the feed has no link ${label}: ${event?.description}`);
  return line.slice(line.indexOf(": ") + 2);
}

const press = (url: string, shown: string): Promise<Response> =>
  fetch(url, { method: "POST", body: new URLSearchParams({ shown }) });
