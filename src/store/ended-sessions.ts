import { instantText } from "./rows/rows.ts";
import type { StoreDeps } from "./view/changes.ts";

/** Sessions that were ended before their time. */
export interface EndedSessions {
  /** `until`: when it would have ended by itself, after which it is forgotten. */
  add(session: { readonly id: string; readonly until: Temporal.Instant }): void;
  has(id: string): boolean;
}

export function createEndedSessions({ db, clock }: StoreDeps): EndedSessions {
  const insert = db.prepare("INSERT OR IGNORE INTO ended_sessions (id, until) VALUES (?, ?)");
  const forget = db.prepare("DELETE FROM ended_sessions WHERE until < ?");
  const find = db.prepare("SELECT 1 FROM ended_sessions WHERE id = ?");
  return {
    add({ id, until }) {
      forget.run(instantText(clock()));
      insert.run(id, instantText(until));
    },
    has: (id) => find.get(id) !== undefined,
  };
}
