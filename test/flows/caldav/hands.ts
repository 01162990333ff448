import { expect } from "vitest";
import type { Edit } from "../../../src/domain/edit.ts";
import { fieldsOf, type PatchField } from "../../../src/domain/patch.ts";
import type { Called } from "../../support/http-call.ts";
import type { CalendarProgram, Copy } from "./program.ts";
import { changeText, newText, readText, type TextTouch, touchedFields } from "./text.ts";
import type { CaldavRig } from "./walk-rig.ts";
import { expectShown, expectWishKept, type Put } from "./wish.ts";
import { pick } from "./workspace.ts";

/** One member of one of a program's calendars. */
export interface Grip {
  readonly slug: string;
  readonly name: string;
  readonly copy: Copy;
}

/** Where in the local copies, among `of`, a person puts a finger. */
export function grip(
  program: CalendarProgram,
  { nth, of = () => true }: { readonly nth: number; readonly of?: (slug: string) => boolean },
): Grip | null {
  const all = [...program.calendars.values()]
    .filter(({ slug }) => of(slug))
    .flatMap(({ slug, copies }) =>
      [...copies]
        .map(([name, copy]) => ({ slug, name, copy }))
        // Names may be chance; what is written is not.
        .toSorted((a, b) => (titleOf(a.copy) < titleOf(b.copy) ? -1 : 1)),
    );
  return all.length === 0 ? null : pick(all, nth);
}

/** The marks of a to-do, and of the task above it that was put after it. */
export interface Family {
  readonly parent: string;
  readonly child: string;
}

const titleOf = ({ octets }: Copy): string => readText(octets).title;

const calendarType = { "content-type": "text/calendar; charset=utf-8" };

/** People's edits in their programs, each sent at once, and what must be true right after the answer. */
export class CaldavHands {
  readonly scene: CaldavRig;
  /** How often each request was answered how. */
  readonly tally = new Map<string, number>();
  /** What was put last at each address, and not touched by any other request since. */
  readonly puts = new Map<string, Put>();
  /** Marks of items that got another one than they were made with. */
  readonly marks = new Map<Edit["item"], string>();
  /** Marks of items of which copies were made. */
  readonly copied = new Set<string>();
  readonly families: Family[] = [];
  /** Edits that a person has taken back. */
  readonly takenBack = new Set<Edit["id"]>();

  constructor(scene: CaldavRig) {
    this.scene = scene;
  }

  /** Changes a member of which the program may have an old copy; `isLost`: the answer never arrives. */
  async change(
    program: CalendarProgram,
    how: {
      readonly nth: number;
      readonly touch: TextTouch;
      readonly isLost: boolean;
      /** Without a condition, as some programs do it. */
      readonly isBare: boolean;
    },
  ): Promise<void> {
    // The workspace has no labels for milestones; they stay with the octets.
    const of = (slug: string) => how.touch.kind !== "label" || slug.startsWith("tasks-");
    const found = grip(program, { nth: how.nth, of });
    const octets = found && changeText(found.copy.octets, how.touch);
    if (!found || octets === null) return;
    const { slug, name, copy } = found;
    const [was, is] = [readText(copy.octets), readText(octets)];
    const { newest } = this;
    const waiting = this.waitingFields(is.uid);
    const condition = how.isBare ? undefined : { "if-match": copy.etag };
    const answer = await this.send(program, `PUT ${program.address(slug, name)}`, {
      headers: { ...calendarType, ...condition },
      body: octets,
    });
    if (answer.status >= 300) return;
    const edits = this.since(newest, is.uid);
    const fields = touchedFields[how.touch.kind];
    for (const edit of how.isBare ? [] : edits) {
      const others = fieldsOf(edit.patch).filter(
        (field) => !fields.includes(field) && !waiting.includes(field),
      );
      expect(others, `a ${how.touch.kind} changes nothing else of ${was.title}`).toEqual([]);
    }
    expectWishKept({ was, is, touch: how.touch, edits }, this.scene.rig);
    await this.keep(program, { slug, name, answer, octets, isLost: how.isLost });
  }

  /** What edits of an item wish that wait: the next one of the same person takes them in. */
  waitingFields(uid: string): readonly PatchField[] {
    const item = this.scene.rig.rooms.store.mirror.findUid(uid)?.item;
    return this.journal()
      .filter((edit) => edit.item === item && edit.state === "held")
      .flatMap(({ patch }) => fieldsOf(patch));
  }

  /** Makes a new entry, below the task of the UID `above`; its own UID. */
  async create(
    program: CalendarProgram,
    how: {
      readonly nth: number;
      readonly word: string;
      readonly day: string;
      readonly isLost: boolean;
      readonly slug?: string;
      readonly above?: string | null;
      readonly token?: string;
    },
  ): Promise<string | null> {
    const slugs = [...program.calendars.keys()].filter((slug) => slug !== "assigned");
    const slug = how.slug ?? pick(slugs, how.nth);
    const token = how.token ?? this.scene.workspace.token();
    const component = slug.startsWith("events") ? "VEVENT" : "VTODO";
    const nearest = how.nth % 2 === 1 ? this.#taskIn(program, { slug, nth: how.nth }) : null;
    const above = how.above === undefined ? nearest : how.above;
    const uid = `${token}@program.example.com`;
    const octets = newText({
      component,
      uid,
      title: `${token} ${how.word}`,
      day: how.day,
      more: above === null ? [] : [`RELATED-TO:${above}`],
    });
    const name = pick([`${token}.ics`, `${token} +ü@%.ics`, `x-${token}`], how.nth);
    const { newest } = this;
    const answer = await this.send(program, `PUT ${program.address(slug, name)}`, {
      headers: { ...calendarType, "if-none-match": "*" },
      body: octets,
    });
    if (program.setting.isReader) return null;
    // A subtask is where its task is, and the task may have gone elsewhere.
    if (answer.status === 409 && above !== null) {
      expect(this.since(newest, uid), `${token} was refused`).toEqual([]);
      return null;
    }
    expect(answer.status, answer.text).toBeLessThan(300);
    const [edit] = this.since(newest, uid);
    expect(edit?.action, `${token} is a creation`).toBe("create");
    await this.keep(program, { slug, name, answer, octets, isLost: how.isLost });
    return uid;
  }

  async remove(program: CalendarProgram, nth: number): Promise<void> {
    const found = grip(program, { nth });
    if (found) await this.delete(program, found);
  }

  /** Takes an entry to another calendar of its kind, as programs with MOVE do it, or with PUT and DELETE. */
  async move(
    program: CalendarProgram,
    how: {
      readonly nth: number;
      readonly to: number;
      readonly way: "move" | "put" | "half" | "take";
    },
  ): Promise<void> {
    const kind = how.to % 2 === 0 ? "events-" : "tasks-";
    const found = grip(program, { nth: how.nth, of: (slug) => slug.startsWith(kind) });
    if (!found) return;
    const { slug, name, copy } = found;
    const others = [...program.calendars.keys()].filter(
      (one) => one.startsWith(kind) && one !== slug,
    );
    const target = pick(others, how.to);
    if (how.way === "move") {
      const answer = await this.send(program, `MOVE ${program.address(slug, name)}`, {
        headers: {
          "if-match": copy.etag,
          destination: program.address(target, name),
          overwrite: "F",
        },
      });
      if (answer.status >= 300) return;
      program.calendar(slug).copies.delete(name);
      program.calendar(target).told.set(name, "");
      this.forget(readText(copy.octets).uid);
      return;
    }
    if (how.way === "take" && !(await this.delete(program, found))) return;
    const answer = await this.send(program, `PUT ${program.address(target, name)}`, {
      headers: { ...calendarType, "if-none-match": "*" },
      body: copy.octets,
    });
    if (answer.status >= 300) return;
    await this.keep(program, { slug: target, name, answer, octets: copy.octets, isLost: false });
    if (how.way === "put") await this.delete(program, found);
  }

  get newest(): number {
    return this.journal()[0]?.id ?? 0;
  }

  async delete(program: CalendarProgram, { slug, name, copy }: Grip): Promise<boolean> {
    const answer = await this.send(program, `DELETE ${program.address(slug, name)}`, {
      headers: { "if-match": copy.etag },
    });
    const isGone = answer.status < 300 || answer.status === 404;
    if (isGone) program.calendar(slug).copies.delete(name);
    this.forget(readText(copy.octets).uid);
    return isGone;
  }

  async send(
    program: CalendarProgram,
    request: string,
    options: Parameters<CalendarProgram["call"]>[1],
  ): Promise<Called> {
    const answer = await program.call(request, options);
    const method = request.split(" ")[0] ?? "";
    const { status, text } = answer;
    const reason = status === 409 ? ` ${/<df:reason>([^<]*)/.exec(text)?.[1] ?? text}` : "";
    const what = `${method} ${status}${reason.replaceAll(/[\d"]+|&quot;.*?&quot;/g, "…")}`;
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1);
    const expected = program.setting.isReader ? [403, 404, 409, 412] : [201, 204, 404, 409, 412];
    expect(expected, `${request}: ${text}`).toContain(status);
    return answer;
  }

  /** Right after the answer the server gives out exactly what the program has put, under the tag that it has named. */
  async keep(
    program: CalendarProgram,
    put: {
      readonly slug: string;
      readonly name: string;
      readonly answer: Called;
      readonly octets: string;
      readonly isLost: boolean;
    },
  ): Promise<void> {
    const { slug, name, answer, octets, isLost } = put;
    const { etag } = answer.headers;
    const { uid } = readText(octets);
    this.forget(uid);
    if (etag !== undefined) {
      this.puts.set(program.address(slug, name), { program, slug, name, uid, etag, octets });
    }
    if (isLost) return;
    if (etag === undefined) {
      program.calendar(slug).copies.delete(name);
      program.calendar(slug).told.set(name, "");
      return;
    }
    program.note(slug, name, { etag, octets });
    await expectShown(program, { slug, name, etag, octets });
  }

  /** Another request was about the item: what was put of it may be something else by now. */
  forget(uid: string): void {
    for (const [address, put] of this.puts) if (put.uid === uid) this.puts.delete(address);
  }

  journal(): readonly Edit[] {
    return this.scene.rig.rooms.store.journal.list({ limit: 10_000 });
  }

  /** What became of the journal since, for one item; oldest first. */
  since(newest: number, uid: string): readonly Edit[] {
    const item = this.scene.rig.rooms.store.mirror.findUid(uid)?.item;
    return this.journal()
      .filter((edit) => edit.id > newest && edit.item === item)
      .toReversed();
  }

  #taskIn(
    program: CalendarProgram,
    { slug, nth }: { readonly slug: string; readonly nth: number },
  ): string | null {
    if (!slug.startsWith("tasks-")) return null;
    const found = grip(program, { nth, of: (one) => one === slug });
    const known = found && this.scene.rig.rooms.store.view.findUid(readText(found.copy.octets).uid);
    return known?.item.kind === "task" ? known.uid : null;
  }
}
