import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { escapeText } from "@dayferry/ical";
import type { Sandbox } from "@dayferry/sandbox";
import type { Channel } from "./domain/edit.ts";
import { type EditId, type PersonId, personId } from "./domain/ids.ts";
import { createAccept } from "./edits/intake/accept.ts";
import { demoAgent } from "./http/today.ts";
import { createWake } from "./loop.ts";
import type { Modules } from "./modules/open-modules.ts";
import type { ViewItem } from "./store/view/view.ts";

/** Where the story is played. */
export interface StoryPlace {
  readonly modules: Modules;
  readonly sandbox: Sandbox;
  readonly dataDir: string;
  /** URL of the daemon on this machine. */
  readonly url: string;
  readonly clock: () => Temporal.Instant;
  readonly signal: AbortSignal;
}

/** The place with everything that existed before. */
interface Stage extends StoryPlace {
  readonly items: readonly ViewItem[];
}

/** The people in the seed data, by first name. */
type Cast = Readonly<Record<"ana" | "ben" | "chiara" | "davit" | "elif", PersonId>>;

/** A change that somebody makes with a program: the given properties of one item, leaving the others. */
interface Scene {
  readonly item: ViewItem;
  readonly by: PersonId;
  readonly channel: Channel;
  readonly program: string;
  readonly lines: readonly string[];
}

const thunderbird = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.4.0";
const phone = "DAVx5/4.5.6-ose (2025/10/20; dav4jvm; okhttp/5.1.0) Android/16";
const apple = "iOS/26.1 (23B85) dataaccessd/1.0";
const curl = "curl/8.14.1";

/**
 * Plays a team's morning, so that there is something to see: edits by several people and programs, one of them undone, two
 * conflicts, a refused edit, a deletion waiting for approval, comments, and a filtered feed that is fetched. Everything goes
 * the way of any edit; other people's changes are made in the sandbox. It is played once per data directory, also if it was
 * interrupted.
 */
export async function playStory(place: StoryPlace): Promise<void> {
  const marker = join(place.dataDir, "story-told");
  const cast = castOf(place.sandbox);
  if (!cast || existsSync(marker)) return;
  writeFileSync(marker, "", { mode: 0o600 });
  const stage = { ...place, items: everyItem(place) };
  const edits: EditId[] = [];
  // Yields between two scenes.
  for (const scene of [holdDeletion, refuseEdit, disagree, remark]) {
    scene(stage, cast);
    await place.modules.eventLoop.share();
  }
  for (const scene of [work, follow]) {
    edits.push(...scene(stage, cast));
    await place.modules.eventLoop.share();
  }
  const taken = rename(stage, cast);
  await offerFeed(place, cast);
  await until(() => edits.every((id) => isSettled(place, id)), place.signal);
  if (taken !== null && !place.signal.aborted) await takeBack(place, taken, cast.ben);
}

/** Four people change five items with four programs; one is a milestone that slips. */
function work(place: Stage, { ana, ben, chiara, davit }: Cast): readonly EditId[] {
  const today = place.clock().toZonedDateTimeISO(place.sandbox.timeZone).toPlainDate();
  const planning = find(place, "Sprint planning", (item) => isAfter(item, place.clock()));
  const footer = find(place, "Footer with three languages");
  const hotel = find(place, "Hotel for four");
  const texts = find(place, "Store texts");
  const booth = find(place, "Booth is built");
  const byThunderbird = { by: ben, channel: "caldav", program: thunderbird } as const;
  const byPhone = { by: chiara, channel: "caldav", program: phone } as const;
  return [
    planning && play(place, { item: planning, ...byThunderbird, lines: later(planning, 1) }),
    footer &&
      play(place, {
        item: footer,
        ...byPhone,
        lines: ["STATUS:COMPLETED", "PERCENT-COMPLETE:100"],
      }),
    hotel &&
      play(place, {
        item: hotel,
        by: davit,
        channel: "caldav",
        program: apple,
        lines: [dueOn(today.add({ days: 3 }))],
      }),
    texts &&
      play(place, {
        item: texts,
        by: ana,
        channel: "upload",
        program: curl,
        lines: [dueOn(today.add({ days: 2 })), "COMMENT:The German text is still missing."],
      }),
    booth && play(place, { item: booth, ...byPhone, lines: daysLater(booth, 4) }),
  ].filter((id) => typeof id === "number");
}

/** A link in a mail marks a task as completed. */
function follow(place: Stage, { elif }: Cast): readonly EditId[] {
  const bug = find(place, "Wrong date on the last Sunday of March");
  const { links } = place.modules;
  if (!bug || !links) return [];
  const [offered] = links.ofMail(bug, { person: elif, address: place.url });
  const signed = offered?.url.split("/").at(-1) ?? "";
  const followed = links.follow(signed, "");
  return followed.kind === "stored" ? [followed.edit] : [];
}

/** A conflict: a person decides, field by field. */
function disagree(place: Stage, { ana, ben, chiara }: Cast): void {
  const { workspace } = place.sandbox;
  const call = find(place, "Weekly call with Haddad & Sons");
  if (call) {
    const at = { by: chiara, project: call.item.projectId, event: Number(call.item.id) };
    workspace.events.update(at, {
      ...wallLater(call, 1),
      title: "Weekly call, with the designers",
    });
    const lines = [...later(call, 4), "SUMMARY:Weekly call with Haddad & Sons (by video)"];
    play(place, { item: call, by: ben, channel: "caldav", program: thunderbird, lines });
  }
  const redirects = find(place, "Redirects from the old site");
  if (redirects?.item.kind === "task" && redirects.item.dueOn) {
    const { item } = redirects;
    const { dueOn: due } = redirects.item;
    const at = { by: chiara, project: item.projectId, list: item.listId, task: Number(item.id) };
    workspace.tasks.update(at, { due_date: due.add({ days: 3 }).toString() });
    const lines = [dueOn(due.subtract({ days: 2 }))];
    play(place, { item: redirects, by: ana, channel: "upload", program: curl, lines });
  }
}

/** The service rejects an edit once; a retry succeeds. */
function refuseEdit(place: Stage, { chiara }: Cast): void {
  const item = find(place, "Demo laptop; spare laptop; adapters, cables, tape");
  if (!item) return;
  place.sandbox.faults.add({
    kind: "status",
    status: 422,
    body: { message: "the list is being sorted by someone else" },
    method: "PUT",
    path: new RegExp(`/${item.item.id}$`),
  });
  const lines = [`SUMMARY:${escapeText("Demo laptop, spare laptop, adapters")}`];
  play(place, { item, by: chiara, channel: "caldav", program: phone, lines });
}

/** A deletion waiting for approval, as every edit does if `edits.mode` is `review`. */
function holdDeletion(place: Stage, { davit }: Cast): void {
  const item = find(place, "500 tote bags 👜");
  const lines = ["STATUS:CANCELLED"];
  if (item) play(place, { item, by: davit, channel: "upload", program: curl, lines }, "review");
}

/** People comment in the workspace. */
function remark(place: Stage, { ana, ben }: Cast): void {
  const found = find(place, "Redirects from the old site");
  if (found?.item.kind !== "task") return;
  const { projectId: project, listId: list, id } = found.item;
  for (const [by, description] of [
    [ben, "The list of old addresses is in the files."],
    [ana, "Two days earlier would help the client."],
  ] as const) {
    const at = { by, project, list, task: Number(id) };
    place.sandbox.workspace.comments.create(at, { description });
  }
}

/** An edit that its editor undoes. */
function rename(place: Stage, { ben }: Cast): EditId | null {
  const item = find(place, "Release 2.0");
  const lines = ["SUMMARY:Release 2.0 (postponed?)"];
  return item
    ? play(place, { item, by: ben, channel: "caldav", program: thunderbird, lines })
    : null;
}

async function takeBack(
  { modules, signal }: StoryPlace,
  edit: EditId,
  by: PersonId,
): Promise<void> {
  await until(() => isSettled({ modules }, edit), signal);
  modules.editActions.undo(edit, { channel: "dashboard", actor: by });
}

/** A feed with one person's tasks of one kind, fetched by programs. */
async function offerFeed({ modules, url, signal }: StoryPlace, { ben }: Cast): Promise<void> {
  const { path } = modules.feeds.create({
    kind: "person",
    projectId: null,
    personId: ben,
    name: "Ben's open tasks",
    colour: "tomato",
    filter: { kinds: ["task"], completed: "none" },
  });
  for (const agent of [thunderbird, "Google-Calendar-Importer"]) {
    const headers = { "user-agent": `${agent} ${demoAgent}` };
    // If the demo is stopped meanwhile, the feed just has no fetches.
    await fetch(`${url}${path}`, { headers, signal }).then(
      (answer) => answer.arrayBuffer(),
      () => null,
    );
  }
}

/** Submits an edit as a program does; null if nothing was changed. */
function play(
  { modules, clock }: StoryPlace,
  { item: { item, uid }, by, channel, program, lines }: Scene,
  mode: "apply" | "review" = "apply",
): EditId | null {
  const { config, store } = modules;
  const { assignees, tasks } = config.feeds;
  const accept = createAccept({
    store,
    zone: config.service.timeZone,
    policy: { labels: config.edits.labels, mode },
    clock,
    feeds: { assignees, tasks, webUrl: config.service.webUrl },
    onAccepted: () => modules.wakes.drain.notify(),
  });
  const component = item.kind === "event" ? "VEVENT" : "VTODO";
  const bytes = Buffer.from(
    [
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//Dayferry//demo//EN",
      `BEGIN:${component}`,
      `UID:${uid}`,
      `DTSTAMP:${utc(clock())}`,
      ...lines,
      `END:${component}`,
      "END:VCALENDAR",
      "",
    ].join("\r\n"),
  );
  const where = { projectId: item.projectId, listId: null, dryRun: false };
  const answer = accept({ bytes, channel, actor: by, program, ...where });
  return answer.kind === "plan" ? (answer.items[0]?.editId ?? null) : null;
}

function everyItem({ modules: { store } }: StoryPlace): readonly ViewItem[] {
  return store.directory.projects().flatMap(({ id }) => store.view.ofProject(id));
}

/** The first known item with a title. */
function find(
  { items }: Stage,
  title: string,
  isMeant: (item: ViewItem) => boolean = () => true,
): ViewItem | undefined {
  return items
    .filter((viewed) => viewed.item.title === title && isMeant(viewed))
    .toSorted((a, b) => startOf(a) - startOf(b))[0];
}

const startOf = ({ item }: ViewItem): number =>
  item.kind === "event" && item.when.kind === "times" ? item.when.start.epochMilliseconds : 0;

const isAfter = (item: ViewItem, now: Temporal.Instant): boolean =>
  startOf(item) > now.epochMilliseconds;

/** An event's times, some hours later, as a calendar program writes them. */
const later = (viewed: ViewItem, hours: number): readonly string[] =>
  timesOf(viewed, hours).map(
    (time, index) => `${index === 0 ? "DTSTART" : "DTEND"}:${utc(time.toInstant())}`,
  );

/** An event's days, some days later. */
function daysLater({ item }: ViewItem, count: number): readonly string[] {
  if (item.kind !== "event" || item.when.kind !== "dates") return [];
  const { start, end } = item.when;
  return [start, end].map(
    (day, index) =>
      `${index === 0 ? "DTSTART" : "DTEND"};VALUE=DATE:${plain(day.add({ days: count }))}`,
  );
}

/** The same in the service's format. */
function wallLater(viewed: ViewItem, hours: number): object {
  const [start, end] = timesOf(viewed, hours).map((time) =>
    time.toString({ timeZoneName: "never", smallestUnit: "second" }),
  );
  return { start, end, all_day: false };
}

function timesOf({ item }: ViewItem, hours: number): readonly Temporal.ZonedDateTime[] {
  if (item.kind !== "event" || item.when.kind !== "times") return [];
  const { start, end } = item.when;
  return [start, end ?? start].map((time) => time.add({ hours }));
}

const utc = (at: Temporal.Instant): string =>
  at.toString({ smallestUnit: "second" }).replaceAll(/[-:]/g, "");

const dueOn = (day: Temporal.PlainDate): string => `DUE;VALUE=DATE:${plain(day)}`;

const plain = (day: Temporal.PlainDate): string => day.toString().replaceAll("-", "");

function castOf({ keys }: Sandbox): Cast | null {
  const idOf = (first: string) => keys.find(({ email }) => email === `${first}@example.com`);
  const [ana, ben, chiara, davit, elif] = ["ana", "ben", "chiara", "davit", "elif"].map(idOf);
  if (!ana || !ben || !chiara || !davit || !elif) return null;
  return {
    ana: personId(ana.personId),
    ben: personId(ben.personId),
    chiara: personId(chiara.personId),
    davit: personId(davit.personId),
    elif: personId(elif.personId),
  };
}

function isSettled({ modules }: Pick<StoryPlace, "modules">, id: EditId): boolean {
  const state = modules.store.journal.get(id)?.state;
  return state !== "pending" && state !== "claimed";
}

/** Resolves when the condition is true or the signal aborts. */
export async function until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
  const wake = createWake();
  while (!isSo() && !signal.aborted) await wake.wait(100, signal);
}
