import { join } from "node:path";
import type { EditAction } from "../../src/domain/edit.ts";
import type { EditId, ItemKey, PersonId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import type { Patch } from "../../src/domain/patch.ts";
import { sourceOf } from "../../src/domain/source.ts";
import type { Mailer } from "../../src/mail/mail.ts";
import { createParkingNotices, type NoticeEvent } from "../../src/reminders/notices.ts";
import type { Settlement } from "../../src/store/journal/endings.ts";
import { aProject } from "../support/items.ts";
import { handClock, testDirectory, testStore } from "../support/test-store.ts";
import { ana, anEvent, berlin, everyKind, people } from "./rig.ts";

type Parking = Omit<Extract<Settlement, { readonly kind: "park" }>, "kind">;

export interface Wish {
  readonly action?: EditAction;
  readonly patch?: Patch;
  readonly actor?: PersonId | null;
  readonly newLabels?: readonly string[];
  readonly item?: ItemKey;
  readonly base?: Item;
}

export const refused: Parking = { reason: "refused", problem: "the title is too long" };

/** Notices over a real database with one event of the project "Website". */
export function aNoticeRig(mailer: Mailer, publicUrl: string | null = null) {
  const clock = ticking(handClock("2026-11-24T08:00:00Z"));
  const file = join(testDirectory(), "dayferry.sqlite");
  const store = testStore(clock, file);
  store.directory.putPeople(people, true);
  store.directory.putProjects([aProject(2001, "Website")], true);
  const events: NoticeEvent[] = [];
  let opened = store;
  const start = (with_: Mailer) =>
    createParkingNotices({
      store: opened,
      mailer: with_,
      from: { name: "Dayferry", address: "dayferry@example.com" },
      zone: berlin,
      perMinute: 1000,
      wishes: () => everyKind,
      choiceUrl: null,
      publicUrl,
      clock,
      random: () => 0,
      onEvent: (event) => events.push(event),
    });
  let notices = start(mailer);
  const event = anEvent();
  store.mirror.put(event, sourceOf(event));
  const key = keyOf(store.mirror.find("event", event.id));

  function wish({ action = "update", patch = {}, actor = ana, ...rest }: Wish): EditId {
    return opened.journal.append({
      channel: "caldav",
      actor,
      action,
      patch,
      item: rest.item ?? key,
      base: rest.base ?? event,
      newLabels: rest.newLabels ?? [],
      state: "pending",
    });
  }

  /** Parks the next edit that may go. */
  function park(parking: Parking = refused): EditId {
    const edit = opened.journal.claimNext();
    if (!edit) throw new Error("nothing to claim");
    opened.journal.settle(edit, { kind: "park", ...parking });
    return edit.id;
  }

  return {
    get store() {
      return opened;
    },
    clock,
    events,
    event,
    key,
    wish,
    park,
    step: (signal = new AbortController().signal) => notices.step(signal),
    /** As after a crash: another process opens the same database. */
    restart(other: Mailer) {
      opened.close();
      opened = testStore(clock, file);
      notices = start(other);
    },
  };
}

/** Time passes between two looks at the clock, as it really does. */
function ticking(clock: ReturnType<typeof handClock>): typeof clock {
  const read = () => {
    const now = clock();
    clock.advance({ microseconds: 1 });
    return now;
  };
  return Object.assign(read, {
    set: (instant: string) => clock.set(instant),
    advance: (length: Temporal.DurationLike) => clock.advance(length),
  });
}

function keyOf(found: ItemKey | null): ItemKey {
  if (found === null) throw new Error("the event is not known");
  return found;
}
