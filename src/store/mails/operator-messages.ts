import { instantText } from "../rows/item-rows.ts";
import {
  type Episode,
  episodeRow,
  type OperatorKey,
  type OperatorMessageRow,
  operatorMessageRow,
  type WayState,
  wayStateRow,
} from "../rows/trouble-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import { createSendQueue } from "./send-queue.ts";

/** Older rejections are not reported as current. */
const refusedFor = Temporal.Duration.from({ hours: 24 * 7 });

/** Messages to the operator about troubles, by way. */
export function createOperatorMessages(deps: StoreDeps) {
  const { db, clock } = deps;
  const pending = db.prepare(
    `SELECT * FROM troubles t WHERE t.over_at IS NULL OR EXISTS (
       SELECT 1 FROM outbox m WHERE m.kind = 'trouble' AND m.subject = t.id AND m.occasion <> 'over'
         AND m.state IN ('claimed', 'sent', 'deferred') AND NOT EXISTS (
           SELECT 1 FROM outbox e WHERE e.kind = 'trouble' AND e.subject = t.id AND e.way = m.way AND e.occasion = 'over'
             AND e.state IN ('sent', 'rejected')))
     ORDER BY t.id`,
  );
  const ofWay = db.rows(
    "SELECT * FROM outbox WHERE way = ? AND kind = 'trouble' ORDER BY subject, occasion",
    operatorMessageRow,
  );
  const retry = db.prepare(
    "UPDATE outbox SET state = 'dropped' WHERE kind = 'trouble' AND state = 'rejected'",
  );
  const ways = db.rows(
    `SELECT way, count(*) FILTER (WHERE state = 'deferred') AS waiting,
       count(*) FILTER (WHERE state = 'rejected' AND settled_at > @since) AS refused,
       (SELECT json_object('state', n.state, 'problem', n.problem) FROM outbox n
          WHERE n.way = m.way AND n.kind = 'trouble' AND n.settled_at IS NOT NULL AND n.state <> 'dropped'
          ORDER BY n.settled_at DESC LIMIT 1) AS newest
     FROM outbox m WHERE kind = 'trouble' GROUP BY way ORDER BY way`,
    wayStateRow,
  );
  return {
    ...createSendQueue<OperatorKey>(deps, {
      scope: "kind = 'trouble'",
      keyOf: ({ trouble, phase, way }) => ({
        way,
        kind: "trouble",
        subject: trouble,
        occasion: phase,
        lead: "",
        person: 0,
      }),
    }),
    /** Troubles that are not over, or whose end was not yet reported to a receiver of the beginning. */
    pending: (): readonly Episode[] => pending.all().flatMap((row) => episodeRow(row) ?? []),
    ofWay: (way: string): readonly OperatorMessageRow[] => ofWay.all(way),
    /** Retries messages that receivers rejected: after a start, address or token may have changed. */
    retryRefused: (): void => void retry.run(),
    /** State of each way that was used. */
    ways: (): readonly WayState[] => ways.all({ since: instantText(clock().subtract(refusedFor)) }),
  };
}

export type { OperatorKey, OperatorMessageRow, WayState } from "../rows/trouble-rows.ts";
