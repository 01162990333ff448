import { createHash } from "node:crypto";
import {
  labelId,
  listId,
  type PersonId,
  personId,
  projectId,
  type ServiceId,
} from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import { sourceOf } from "../../src/domain/source.ts";
import { type AcceptDeps, createAccept, type EditRequest } from "../../src/edits/intake/accept.ts";
import type { Acceptance, PlannedItem } from "../../src/edits/intake/plan-answer.ts";
import { createPublishedFeeds } from "../../src/feeds/published-feeds.ts";
import type { FeedOptions } from "../../src/feeds/window.ts";
import { aProject, aTodolist, zone } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";

const webUrl = "https://work.example.com/#/{project}/{kind}/{id}";

export interface RigSetting {
  /** Path of the database; in memory by default. */
  readonly file?: string;
  readonly labels?: "known" | "create";
  readonly mode?: "apply" | "review";
  readonly withOwnKey?: ReadonlySet<PersonId>;
  readonly quota?: NonNullable<AcceptDeps["quota"]>;
  readonly feeds?: Partial<Pick<FeedOptions, "private" | "tasks" | "webUrl" | "assignees">>;
}

/** A store with two projects, three lists, two people with addresses and three labels, and the intake of files. */
export function acceptRig(setting: RigSetting = {}) {
  const clock = handClock("2026-11-20T12:00:00Z");
  const store = testStore(clock, setting.file);
  store.directory.putProjects([aProject(2001, "Website"), aProject(2002, "Trade fair")], true);
  store.directory.putTodolists(
    null,
    [
      aTodolist(3001),
      aTodolist(3002, { private: true }),
      aTodolist(3009, { projectId: projectId(2002) }),
    ],
    true,
  );
  const person = { timeZone: null, suspended: false };
  store.directory.putPeople(
    [
      { ...person, id: personId(11), name: "Ana", email: "Ana@example.com" },
      { ...person, id: personId(12), name: "Björn", email: "bjoern@example.com" },
      { ...person, id: personId(13), name: "Chen", email: null },
    ],
    true,
  );
  const label = (id: number, name: string) => ({ id: labelId(id), name, color: null });
  store.directory.putLabels([label(51, "Design"), label(52, "Print, web"), label(53, "QA")], true);

  let woken = 0;
  const decorations = { assignees: true, tasks: "due" as const, webUrl, ...setting.feeds };
  const deps: AcceptDeps = {
    store,
    zone,
    policy: { labels: setting.labels ?? "known", mode: setting.mode ?? "apply" },
    withOwnKey: setting.withOwnKey ?? new Set(),
    clock,
    feeds: decorations,
    ...(setting.quota && { quota: setting.quota }),
    onAccepted: () => {
      woken++;
    },
  };
  const accept = createAccept(deps);
  const feeds = createPublishedFeeds({
    store,
    key: createHash("sha256").update("a key that only tests use").digest(),
    clock,
    options: {
      zone,
      past: Temporal.Duration.from("P50Y"),
      future: Temporal.Duration.from("P50Y"),
      completed: Temporal.Duration.from("P50Y"),
      private: "show",
      customDates: false,
      ...decorations,
    },
  });

  const usual: EditRequest = {
    bytes: new Uint8Array(),
    channel: "upload",
    actor: personId(11),
    projectId: projectId(2001),
    listId: null,
    dryRun: false,
  };

  function send(text: string, request: Partial<EditRequest> = {}): Acceptance {
    return accept({ ...usual, bytes: Buffer.from(text), ...request });
  }
  return {
    clock,
    store,
    deps,
    request: usual,
    send,
    woken: () => woken,
    /** Puts an item into the mirror and returns its UID in calendars. */
    put(item: Item & { readonly id: ServiceId }): string {
      store.mirror.put(item, sourceOf(item));
      const key = store.mirror.find(item.kind, item.id);
      if (key === null) throw new Error("the mirror has lost the item");
      return store.mirror.identity(key).uid;
    },
    /** The feed of a project as a subscriber downloads it. */
    feed(project = 2001): string {
      feeds.ensure();
      const feed = feeds.list().find((one) => one.projectId === project);
      const open = feeds.open(feed?.path.split("/")[2] ?? "");
      if (!open) throw new Error(`project ${project} has no feed`);
      return open.body().toString();
    },
    /** The plan for a file that must be accepted completely. */
    plan(text: string, request: Partial<EditRequest> = {}) {
      const acceptance = send(text, request);
      if (acceptance.kind === "plan") return acceptance;
      throw new Error(`refused: ${JSON.stringify(acceptance.errors)}`);
    },
    /** The plan for a file of one item. */
    one(text: string, request: Partial<EditRequest> = {}): PlannedItem {
      const [item] = this.plan(text, request).items;
      if (!item) throw new Error("the file has no item");
      return item;
    },
    /** The edits of the journal, oldest first. */
    edits: () => store.journal.list({ limit: 1000 }).toReversed(),
  };
}

/** A rig with an item of the workspace, and its UID. */
export function withItem<Rig extends Pick<ReturnType<typeof acceptRig>, "put">>(
  rig: Rig,
  item: Parameters<ReturnType<typeof acceptRig>["put"]>[0],
) {
  return { rig, uid: rig.put(item) };
}

export const list = listId(3001);

/** A calendar of these lines. */
export function calendar(...lines: readonly string[]): string {
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Tests//EN",
    ...lines,
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}

export const vevent = (uid: string, ...lines: readonly string[]): string =>
  ["BEGIN:VEVENT", `UID:${uid}`, ...lines, "END:VEVENT"].join("\r\n");

export const vtodo = (uid: string, ...lines: readonly string[]): string =>
  ["BEGIN:VTODO", `UID:${uid}`, ...lines, "END:VTODO"].join("\r\n");

/** Fields and wishes of a plan, for short expectations. */
export const wishes = (item: PlannedItem): Readonly<Record<string, unknown>> =>
  Object.fromEntries(item.changes.map(({ field, to }) => [field, to]));

export const codes = (item: PlannedItem): readonly string[] =>
  item.problems.map(({ code }) => code);
