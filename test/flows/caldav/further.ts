import { expect } from "vitest";
import type { Edit } from "../../../src/domain/edit.ts";
import { dayText, tokenIn } from "../workspace-people.ts";
import { type CaldavHands, grip } from "./hands.ts";
import type { CalendarProgram } from "./program.ts";
import { changeText, readText } from "./text.ts";

/** Puts a subtask first and its task after it, `wait` seconds later, as programs do that send in any order. */
export async function putFamily(
  hands: CaldavHands,
  how: {
    readonly program: CalendarProgram;
    readonly nth: number;
    readonly word: string;
    readonly day: number;
    readonly wait: number;
  },
): Promise<void> {
  const { program, nth, word, day, wait } = how;
  const { rig, workspace } = hands.scene;
  const slugs = [...program.calendars.keys()].filter((slug) => slug.startsWith("tasks-"));
  const slug = slugs[nth % slugs.length] ?? "";
  const [parent, child] = [workspace.token(), workspace.token()];
  const entry = { nth, word, day: dayText(day), slug, isLost: false };
  const above = `${parent}@program.example.com`;
  const below = await hands.create(program, { ...entry, token: child, above });
  if (wait > 0) {
    rig.clock.advance({ seconds: wait });
    await hands.scene.beside("drain");
  }
  const top = await hands.create(program, { ...entry, token: parent, above: null });
  // After a minute a to-do does not wait any more for a task above it.
  if (below && top && wait < 60 && hands.scene.mode === "apply")
    hands.families.push({ parent, child });
}

/** Copies an entry, and gives the copy a mark of its own; not where copies wait for a person. */
export async function copyEntry(
  hands: CaldavHands,
  how: { readonly program: CalendarProgram; readonly nth: number; readonly to: number },
): Promise<void> {
  const { program, nth, to } = how;
  const found = grip(program, { nth });
  if (!found) return;
  const { slug, name, copy } = found;
  const was = readText(copy.octets);
  const token = hands.scene.workspace.token();
  const kind = was.component === "VEVENT" ? "events-" : "tasks-";
  const slugs = [...program.calendars.keys()].filter((one) => one.startsWith(kind));
  const target = slugs[to % slugs.length] ?? slug;
  const address = program.address(target, `${token}.ics`);
  const { newest } = hands;
  const copied = await hands.send(program, `COPY ${program.address(slug, name)}`, {
    headers: { "if-match": copy.etag, destination: address, overwrite: "F" },
  });
  if (copied.status >= 300) return;
  const [creation] = hands
    .journal()
    .filter(({ id, action }) => id > newest && action === "create")
    .toReversed();
  if (!creation) throw new Error(`nothing was created by a copy of ${was.title}`);
  hands.marks.set(creation.item, token);
  hands.copied.add(tokenIn(was.title));
  const now = await program.call(`GET ${address}`);
  // A subtask is where its task is; and the copy may be gone already.
  if (now.status !== 200) return;
  expect(readText(now.text)).toEqual({ ...was, uid: readText(now.text).uid });
  const octets = changeText(now.text, { kind: "mark", token });
  if (octets === null) return;
  const answer = await hands.send(program, `PUT ${address}`, {
    headers: { "content-type": "text/calendar" },
    body: octets,
  });
  const put = { slug: target, name: `${token}.ics`, answer, octets, isLost: false };
  if (answer.status < 300) await hands.keep(program, put);
}

/** Somebody decides about an edit: lets it go, tries it again, or takes it back. */
export function decide(
  hands: CaldavHands,
  how: { readonly nth: number; readonly isYes: boolean },
): void {
  const { editActions, store } = hands.scene.rig.rooms;
  const waiting = hands.journal().filter(({ state, parkReason }) => {
    return state === "held" || (state === "parked" && parkReason !== "unknown-outcome");
  });
  const edit = waiting[how.nth % Math.max(1, waiting.length)];
  if (!edit) return;
  hands.forget(store.mirror.identity(edit.item).uid);
  if (!how.isYes) {
    editActions.discard(edit.id);
    for (const id of followersOf(edit, hands)) hands.takenBack.add(id);
  } else if (edit.state === "held") editActions.approve(edit.id);
  else editActions.retry(edit.id, editActions.show(edit.id)?.conflictVersion ?? null);
}

/** In the end somebody lets go what waits to be let go, as what is below it would wait with it. */
export function approveAll(hands: CaldavHands): void {
  const { editActions } = hands.scene.rig.rooms;
  const held = hands.journal().filter(({ state }) => state === "held");
  for (const { id } of held.toReversed()) editActions.approve(id);
}

/** What depends on a creation goes with it. */
const followersOf = (edit: Edit, hands: CaldavHands): readonly Edit["id"][] =>
  hands
    .journal()
    .filter(({ item, id, state }) => item === edit.item && id >= edit.id && state === "discarded")
    .map(({ id }) => id);
