import { createHash } from "node:crypto";
import type { IncomingAttachment, IncomingItem } from "@dayferry/ical";
import type { NewExtra } from "../../domain/edit-extra.ts";
import { fingerprint } from "../../domain/fingerprint.ts";
import type { ItemKey } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { sameDescription, wordsOf } from "../../domain/same-values.ts";
import type { Store } from "../../store/store.ts";
import { say } from "../../texts/say.ts";
import type { ItemPlan } from "./item-plan.ts";
import { type Note, quote } from "./plan-part.ts";

/** The plan with what the item requests besides fields: comments, files, and properties stored only here. */
export function withExtras(plan: ItemPlan, store: Store): ItemPlan {
  const { ending } = plan;
  const subject = subjectOf(plan, store);
  if (!subject) return plan;
  const { key } = subject;
  const known = new Set(
    (key === null ? [] : store.extras.ofItem(key)).map(({ kind, digest }) => `${kind} ${digest}`),
  );
  const isNew = ({ extra }: Pick<Planned, "extra">) => !known.has(`${extra.kind} ${extra.digest}`);
  const asked = [...commentsOf(plan, subject, store), ...filesOf(plan, subject)].filter(isNew);
  const kept = keptOf(plan).filter((extra) => ending.kind !== "waits" || isNew({ extra }));
  const extras = [...asked.map(({ extra }) => extra), ...kept];
  const notes = [...plan.notes, ...asked.map(({ note }) => note)];
  if (ending.kind !== "unchanged" || asked.length === 0 || key === null) {
    return { ...plan, notes, extras };
  }
  const edit = {
    action: "update",
    item: key,
    base: subject.item,
    patch: {},
    newLabels: [],
    replaces: null,
  } as const;
  return { ...plan, notes, extras, ending: { kind: "edit", edit } };
}

/** The item's identity, and whether the plan creates it. */
interface Subject {
  readonly key: ItemKey | null;
  readonly item: Item;
  readonly isNew: boolean;
}

interface Planned {
  readonly extra: NewExtra;
  readonly note: Note;
}

/** Null for items that are refused, deleted, or missing. */
function subjectOf({ ending, incoming }: ItemPlan, store: Store): Subject | null {
  switch (ending.kind) {
    case "refused":
      return null;
    case "edit": {
      const { action, item, base } = ending.edit;
      const key = typeof item === "object" ? null : item;
      return action === "delete" ? null : { key, item: base, isNew: action === "create" };
    }
    case "waits": {
      const waiting = store.journal.get(ending.editId);
      if (!waiting || waiting.action === "delete") return null;
      return { key: waiting.item, item: waiting.base, isNew: waiting.action === "create" };
    }
    case "unchanged": {
      const viewed = store.view.findUid(incoming.uid);
      return viewed && { key: viewed.key, item: viewed.item, isNew: false };
    }
  }
}

/** A comment that the task has already, from anyone, is not added again. */
function commentsOf({ incoming }: ItemPlan, subject: Subject, store: Store): readonly Planned[] {
  const { item } = subject;
  if (item.kind !== "task") return [];
  const present = item.id === null ? [] : store.comments.ofTask(item.id);
  const texts = [...new Set(incoming.comments.map((text) => text.trim()))];
  return texts
    .filter(
      (text) =>
        text !== "" && !present.some(({ description }) => sameDescription(description, text)),
    )
    .map((text) => ({ extra: commentOf(text), note: commentNote(incoming, text) }));
}

const commentOf = (text: string): NewExtra => ({
  kind: "comment",
  target: "task",
  name: "COMMENT",
  mediaType: null,
  text,
  digest: fingerprint(wordsOf(text)),
  content: null,
});

const commentNote = ({ line }: IncomingItem, text: string): Note => ({
  line,
  code: "comment",
  message: say("intake.comment", { text: quote(text) }),
});

/** A new task gets its files directly. An existing item cannot, so they go into the project's folder. */
function filesOf({ incoming }: ItemPlan, { item, isNew }: Subject): readonly Planned[] {
  const target = isNew && item.kind !== "event" ? "item" : "folder";
  return incoming.attachments.map((file) => ({
    extra: fileOf(file, target),
    note: fileNote(file, target),
  }));
}

const fileOf = (
  { name, type, content }: IncomingAttachment,
  target: "item" | "folder",
): NewExtra => ({
  kind: "attachment",
  target,
  name,
  mediaType: type,
  text: null,
  digest: createHash("sha256").update(name).update("\0").update(content).digest("hex").slice(0, 32),
  content,
});

function fileNote({ line, name, content }: IncomingAttachment, target: "item" | "folder"): Note {
  const file = { file: quote(name), bytes: String(content.byteLength) };
  const message = say(target === "item" ? "intake.attachItem" : "intake.attachFolder", file);
  return { line, code: "attachment", message };
}

/** Properties that are stored here according to the notes, with the client's own lines. */
function keptOf({ incoming, notes }: ItemPlan): readonly NewExtra[] {
  const names = new Set(notes.flatMap(({ property }) => property ?? []));
  return [...linesOf(incoming, names)].map(([name, lines]): NewExtra => {
    const text = lines.join("\n").slice(0, mostCharacters);
    return {
      kind: "kept",
      target: "here",
      name,
      mediaType: null,
      text,
      digest: fingerprint(text),
      content: null,
    };
  });
}

const mostCharacters = 2000;

/**
 * The unfolded lines of properties and subcomponents such as VALARM, by name. Reads the item once, as it may have very many
 * lines.
 */
function linesOf(
  { raw }: IncomingItem,
  names: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>([...names].map((name) => [name, []]));
  const open = new Set<string>();
  for (const line of raw.slice(1, -1)) {
    const name = /^[^:;]*/.exec(line)?.[0].toUpperCase() ?? "";
    const part = name === "BEGIN" || name === "END" ? line.slice(name.length + 1) : "";
    const partName = part.toUpperCase();
    if (name === "BEGIN" && names.has(partName)) open.add(partName);
    for (const each of open) found.get(each)?.push(line);
    if (!open.has(name)) found.get(name)?.push(line);
    if (name === "END") open.delete(partName);
  }
  return found;
}
