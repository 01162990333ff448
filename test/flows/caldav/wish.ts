import { expect } from "vitest";
import type { Edit } from "../../../src/domain/edit.ts";
import type { LabelId } from "../../../src/domain/ids.ts";
import type { Item } from "../../../src/domain/item.ts";
import { fieldsOf } from "../../../src/domain/patch.ts";
import { plainDescription } from "../../../src/domain/text.ts";
import type { WalkRig } from "../walk-rig.ts";
import type { CalendarProgram } from "./program.ts";
import { type Shown, type TextTouch, touchedFields } from "./text.ts";

/** Octets that were answered with a strong tag. */
export interface Put {
  readonly program: CalendarProgram;
  readonly slug: string;
  readonly name: string;
  readonly uid: string;
  readonly etag: string;
  readonly octets: string;
}

/**
 * Expects that an edit to which the server has said yes is shown from now on, or waits where people look: nothing of it
 * is left out without a word.
 */
export function expectWishKept(
  about: {
    readonly was: Shown;
    readonly is: Shown;
    readonly touch: TextTouch;
    /** What came into the journal by it. */
    readonly edits: readonly Edit[];
  },
  { rooms: { store } }: WalkRig,
): void {
  const { was, is, touch, edits } = about;
  // A property that is missing need not say anything.
  const isSilent = touch.kind === "clear" || (touch.kind === "label" && touch.names.length === 0);
  if (isSilent || JSON.stringify(was) === JSON.stringify(is)) return;
  const shown = store.view.findUid(is.uid);
  const wishes = (edit: Edit) =>
    fieldsOf(edit.patch).some((field) => touchedFields[touch.kind].includes(field));
  const item = store.mirror.findUid(is.uid)?.item;
  const all = store.journal.list({ limit: 10_000 }).filter((edit) => edit.item === item);
  const isListed = all.some((edit) => wishes(edit) && !["pending", "claimed"].includes(edit.state));
  const what = `a ${touch.kind} is an edit: ${JSON.stringify({ was, is })}, edits ${edits.length}`;
  const labels = store.directory.labelNames();
  if (shown && shows(shown.item, { was, is, touch, labels })) return;
  expect(isListed, what).toBe(true);
}

function shows(
  item: Item,
  about: {
    readonly was: Shown;
    readonly is: Shown;
    readonly touch: TextTouch;
    readonly labels: ReadonlyMap<LabelId, string>;
  },
): boolean {
  const { was, is, touch, labels } = about;
  switch (touch.kind) {
    case "rename":
    case "mark":
      return item.title === is.title;
    case "describe":
      return plainDescription(item.description) === is.description;
    case "tick":
    case "percent":
      return item.completed === is.isDone;
    case "move":
      return item.kind === "event" || item.dueOn?.toString() === (is.dates[1] || undefined);
    case "label": {
      const names = item.kind === "event" ? [] : item.labels.map((id) => labels.get(id) ?? "");
      const removed = was.labels.filter((name) => !is.labels.includes(name));
      return (
        is.labels.every((name) => names.includes(name)) &&
        !removed.some((name) => names.includes(name))
      );
    }
    case "clear":
      return true;
  }
}

/** What was put is what is given out, unless it has another tag by now. */
export async function expectShown(
  program: CalendarProgram,
  { slug, name, etag, octets }: Pick<Put, "slug" | "name" | "etag" | "octets">,
): Promise<void> {
  const now = await program.call(`GET ${program.address(slug, name)}`);
  if (now.headers.etag === etag) expect(now.text).toBe(octets);
}
