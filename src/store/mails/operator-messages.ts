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
import { createSendQueue, type SendQueue } from "./send-queue.ts";

/** Messages to the operator about troubles, by way. */
export interface OperatorMessages extends SendQueue<OperatorKey> {
  /** Troubles that are not over, or whose end is still to be reported to somebody who was told of the beginning. */
  pending(): readonly Episode[];
  ofWay(way: string): readonly OperatorMessageRow[];
  /** Retries messages that receivers rejected: after a start, address or token may have changed. */
  retryRefused(): void;
  /** State of each way that was used. */
  ways(): readonly WayState[];
}

/** Older rejections are not reported as current. */
const refusedFor = Temporal.Duration.from({ hours: 24 * 7 });

export function createOperatorMessages(deps: StoreDeps): OperatorMessages {
  const { db, clock } = deps;
  const pending = db.prepare(
    `SELECT * FROM troubles t WHERE t.over_at IS NULL OR EXISTS (
       SELECT 1 FROM operator_messages m WHERE m.trouble = t.id AND m.phase <> 'over'
         AND m.state IN ('claimed', 'sent', 'deferred') AND NOT EXISTS (
           SELECT 1 FROM operator_messages e WHERE e.trouble = t.id AND e.way = m.way AND e.phase = 'over'
             AND e.state IN ('sent', 'rejected')))
     ORDER BY t.id`,
  );
  const ofWay = db.prepare("SELECT * FROM operator_messages WHERE way = ? ORDER BY trouble, phase");
  const retry = db.prepare(
    "UPDATE operator_messages SET state = 'dropped' WHERE state = 'rejected'",
  );
  const ways = db.prepare(
    `SELECT way, count(*) FILTER (WHERE state = 'deferred') AS waiting,
       count(*) FILTER (WHERE state = 'rejected' AND settled_at > @since) AS refused,
       (SELECT json_object('state', n.state, 'problem', n.problem) FROM operator_messages n
          WHERE n.way = m.way AND n.settled_at IS NOT NULL AND n.state <> 'dropped'
          ORDER BY n.settled_at DESC LIMIT 1) AS newest
     FROM operator_messages m GROUP BY way ORDER BY way`,
  );
  return {
    ...createSendQueue<OperatorKey>(deps, {
      table: "operator_messages",
      columns: { trouble: "trouble", phase: "phase", way: "way" },
    }),
    pending: () => pending.all().flatMap((row) => episodeRow(row) ?? []),
    ofWay: (way) => ofWay.all(way).map(operatorMessageRow),
    retryRefused: () => void retry.run(),
    ways: () => ways.all({ since: instantText(clock().subtract(refusedFor)) }).map(wayStateRow),
  };
}

export type { OperatorKey, OperatorMessageRow, WayState } from "../rows/trouble-rows.ts";
