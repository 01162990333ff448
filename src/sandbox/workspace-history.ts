import type { TaskPlace } from "./access.ts";
import { done, type Outcome, refused } from "./outcome.ts";
import type { HistoryRecord } from "./records.ts";
import type { Setting } from "./setting.ts";

export interface HistoryPlace extends TaskPlace {
  readonly entry: number;
}

export type HistoryView = ReturnType<typeof showEntry>;

/**
 * What happened to tasks: one entry for every update that changed something.
 * Source: service-api.md, Task history.
 */
export class HistoryWork {
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  list(place: TaskPlace): Outcome<readonly HistoryView[]> {
    const found = this.#setting.access.task(place, "read");
    if (found.kind === "refused") return found;
    const entries = this.#setting.store.history.of(place.task);
    return done(entries.map((it) => showEntry(it, this.#setting.timeZone)));
  }

  get(place: HistoryPlace): Outcome<{ readonly content: string }> {
    const found = this.#setting.access.task(place, "read");
    if (found.kind === "refused") return found;
    const entry = this.#setting.store.history.get(place.entry);
    if (entry?.task !== place.task)
      return refused(404, `there is no history entry ${place.entry} of task ${place.task}`);
    return done({ content: entry.content });
  }
}

function showEntry(entry: HistoryRecord, timeZone: string) {
  const on = Temporal.Instant.from(entry.at).toZonedDateTimeISO(timeZone).toPlainDate();
  return {
    id: entry.id,
    user_id: entry.person,
    activity: entry.at,
    date: on.toString(),
    action: "Updated",
  };
}
