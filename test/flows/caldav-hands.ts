import { expect } from "vitest";
import type { Edit } from "../../src/domain/journal.ts";
import { fieldsOf, type PatchField } from "../../src/domain/merge.ts";
import type { Called } from "../support/http-call.ts";
import type { CalendarProgram, Copy } from "./caldav-program.ts";
import { changeText, newText, readText, type TextTouch, touchedFields } from "./caldav-text.ts";
import type { CaldavRig } from "./caldav-walk-rig.ts";
import { pick } from "./caldav-workspace.ts";

/** One member of one of a program's calendars. */
interface Grip {
  readonly slug: string;
  readonly name: string;
  readonly copy: Copy;
}

/** Where in the local copies, among `of`, a person puts a finger. */
function grip(
  program: CalendarProgram,
  { nth, of = () => true }: { readonly nth: number; readonly of?: (slug: string) => boolean },
): Grip | null {
  const all = [...program.calendars.values()]
    .filter(({ slug }) => of(slug))
    .flatMap(({ slug, copies }) => [...copies].map(([name, copy]) => ({ slug, name, copy })));
  return all.length === 0 ? null : pick(all, nth);
}

const calendarType = { "content-type": "text/calendar; charset=utf-8" };

/** People's edits in their programs, each sent at once, and what must be true right after the answer. */
export class CaldavHands {
  readonly #scene: CaldavRig;
  /** How often each request was answered how. */
  readonly tally = new Map<string, number>();

  constructor(scene: CaldavRig) {
    this.#scene = scene;
  }

  /** Changes a member of which the program may have an old copy; `isLost`: the answer never arrives. */
  async change(
    program: CalendarProgram,
    how: { readonly nth: number; readonly touch: TextTouch; readonly isLost: boolean },
  ): Promise<void> {
    const found = grip(program, how);
    const octets = found && changeText(found.copy.octets, how.touch);
    if (!found || octets === null) return;
    const { slug, name, copy } = found;
    const [was, is] = [readText(copy.octets), readText(octets)];
    const { newest } = this;
    const answer = await this.#send(program, `PUT ${program.address(slug, name)}`, {
      headers: { ...calendarType, "if-match": copy.etag },
      body: octets,
    });
    if (answer.status >= 300) return;
    const fields = touchedFields[how.touch.kind];
    const edits = this.#since(newest, is.uid);
    for (const edit of edits) {
      const others = fieldsOf(edit.patch).filter((field) => !fields.includes(field));
      expect(others, `a ${how.touch.kind} changes nothing else of ${was.title}`).toEqual([]);
    }
    if (JSON.stringify(was) !== JSON.stringify(is)) {
      const what = `a ${how.touch.kind} is an edit: ${octets} after ${copy.octets}`;
      if (!this.#says(edits, fields)) expect(this.#hasSaid(is.uid, is), what).toBe(true);
    }
    if (!how.isLost) await this.#keep(program, { slug, name, answer, octets });
  }

  /** Makes a new entry; below a task of the same calendar when `nth` is odd and it has one. */
  async create(
    program: CalendarProgram,
    how: { readonly nth: number; readonly word: string; readonly day: string; isLost: boolean },
  ): Promise<void> {
    const slugs = [...program.calendars.keys()].filter((slug) => slug !== "assigned");
    const slug = pick(slugs, how.nth);
    const token = this.#scene.workspace.token();
    const component = slug.startsWith("events") ? "VEVENT" : "VTODO";
    const above = how.nth % 2 === 1 ? this.#taskIn(program, { slug, nth: how.nth }) : null;
    const octets = newText({
      component,
      uid: `${token}@program.example.com`,
      title: `${token} ${how.word}`,
      day: how.day,
      more: above === null ? [] : [`RELATED-TO:${above}`],
    });
    const name = pick([`${token}.ics`, `${token} +ü@%.ics`, `x-${token}`], how.nth);
    const { newest } = this;
    const answer = await this.#send(program, `PUT ${program.address(slug, name)}`, {
      headers: { ...calendarType, "if-none-match": "*" },
      body: octets,
    });
    expect(answer.status, answer.text).toBeLessThan(300);
    const [edit] = this.#since(newest, `${token}@program.example.com`);
    expect(edit?.action, `${token} is a creation`).toBe("create");
    if (!how.isLost) await this.#keep(program, { slug, name, answer, octets });
  }

  async remove(program: CalendarProgram, nth: number): Promise<void> {
    const found = grip(program, { nth });
    if (found) await this.#delete(program, found);
  }

  /** Takes an entry to another calendar of its kind, as programs with MOVE do it, or with PUT and DELETE. */
  async move(
    program: CalendarProgram,
    how: { readonly nth: number; readonly to: number; readonly way: "move" | "put" | "half" },
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
      const answer = await this.#send(program, `MOVE ${program.address(slug, name)}`, {
        headers: {
          "if-match": copy.etag,
          destination: program.address(target, name),
          overwrite: "F",
        },
      });
      if (answer.status >= 300) return;
      program.calendar(slug).copies.delete(name);
      program.calendar(target).told.set(name, "");
      return;
    }
    const answer = await this.#send(program, `PUT ${program.address(target, name)}`, {
      headers: { ...calendarType, "if-none-match": "*" },
      body: copy.octets,
    });
    if (answer.status >= 300) return;
    await this.#keep(program, { slug: target, name, answer, octets: copy.octets });
    if (how.way === "put") await this.#delete(program, found);
  }

  get newest(): number {
    return this.#journal()[0]?.id ?? 0;
  }

  async #delete(program: CalendarProgram, { slug, name, copy }: Grip): Promise<void> {
    const answer = await this.#send(program, `DELETE ${program.address(slug, name)}`, {
      headers: { "if-match": copy.etag },
    });
    if (answer.status < 300 || answer.status === 404) {
      program.calendar(slug).copies.delete(name);
    }
  }

  async #send(
    program: CalendarProgram,
    request: string,
    options: Parameters<CalendarProgram["call"]>[1],
  ): Promise<Called> {
    const answer = await program.call(request, options);
    const method = request.split(" ")[0] ?? "";
    const { status, text } = answer;
    const reason = status === 403 ? ` ${/<df:reason>([^<]*)/.exec(text)?.[1] ?? text}` : "";
    const what = `${method} ${status}${reason.replaceAll(/[\d"]+|&quot;.*?&quot;/g, "…")}`;
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1);
    expect([201, 202, 204, 403, 404, 412], `${request}: ${text}`).toContain(status);
    return answer;
  }

  /** Right after the answer the server gives out exactly what the program has put, under the tag that it has named. */
  async #keep(
    program: CalendarProgram,
    put: {
      readonly slug: string;
      readonly name: string;
      readonly answer: Called;
      readonly octets: string;
    },
  ): Promise<void> {
    const { slug, name, answer, octets } = put;
    const { etag } = answer.headers;
    if (etag === undefined) {
      program.calendar(slug).copies.delete(name);
      program.calendar(slug).told.set(name, "");
      return;
    }
    program.note(slug, name, { etag, octets });
    const now = await program.call(`GET ${program.address(slug, name)}`);
    // What was changed in between has another tag.
    if (now.headers.etag === etag) expect(now.text).toBe(octets);
  }

  #taskIn(
    program: CalendarProgram,
    { slug, nth }: { readonly slug: string; readonly nth: number },
  ): string | null {
    if (!slug.startsWith("tasks-")) return null;
    const found = grip(program, { nth, of: (one) => one === slug });
    const known =
      found && this.#scene.rig.rooms.store.view.findUid(readText(found.copy.octets).uid);
    return known?.item.kind === "task" ? known.uid : null;
  }

  #journal(): readonly Edit[] {
    return this.#scene.rig.rooms.store.journal.list({ limit: 10_000 });
  }

  #since(newest: number, uid: string): readonly Edit[] {
    const { mirror } = this.#scene.rig.rooms.store;
    const item = mirror.findUid(uid)?.item;
    return this.#journal().filter((edit) => edit.id > newest && edit.item === item);
  }

  #says(edits: readonly Edit[], fields: readonly PatchField[]): boolean {
    return edits.some(({ patch }) => fields.some((field) => patch[field] !== undefined));
  }

  /** Whether the item was shown with the title, text and state already. */
  #hasSaid(uid: string, wish: ReturnType<typeof readText>): boolean {
    const { mirror, view } = this.#scene.rig.rooms.store;
    const item = mirror.findUid(uid)?.item;
    const versions = item === undefined ? [] : view.history(item);
    return versions.some(
      ({ title, description, completed }) =>
        title === wish.title &&
        (description ?? "") === wish.description &&
        (wish.component === "VEVENT" || completed === wish.isDone),
    );
  }
}
