import type { ItemKey, Revision } from "../domain/ids.ts";
import type { Store } from "../store/store.ts";
import { type Reminder, type ReminderRules, remindersOf } from "./reminder.ts";

/** Every reminder of the view, kept up to date by the change log instead of being read anew each time. */
export interface Agenda {
  /** Item by item. */
  reminders(): Iterable<readonly Reminder[]>;
}

/** Beyond this many changes at once, reading everything costs no more than following them. */
const mostNews = 1000;

export function createAgenda(store: Store, rules: ReminderRules): Agenda {
  const reminders = new Map<ItemKey, readonly Reminder[]>();
  let readUpTo: Revision | null = null;

  function readAll(): void {
    reminders.clear();
    for (const shown of store.view.remindable()) {
      const asked = remindersOf(shown, rules);
      if (asked.length > 0) reminders.set(shown.key, asked);
    }
  }

  function readAgain(key: ItemKey): void {
    const shown = store.view.get(key);
    const asked = shown ? remindersOf(shown, rules) : [];
    if (asked.length > 0) reminders.set(key, asked);
    else reminders.delete(key);
  }

  function follow(from: Revision | null): void {
    const news = from === null ? null : store.changes.since(from, mostNews);
    if (!news || news.length === mostNews) readAll();
    else for (const key of new Set(news.map(({ item }) => item))) if (key !== null) readAgain(key);
  }

  return {
    reminders() {
      const latest = store.changes.latest();
      if (latest !== readUpTo) {
        follow(readUpTo);
        readUpTo = latest;
      }
      return reminders.values();
    },
  };
}
