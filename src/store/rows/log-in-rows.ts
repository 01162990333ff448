import { type PersonId, personId } from "../../domain/ids.ts";
import { instantOf } from "./item-rows.ts";
import { tableRow } from "./row.ts";

/** How somebody signed in: with the admin token, an app password, or a link by mail. */
export type LogInWay = "token" | "password" | "link";

/** A signed-in browser. */
export interface LogIn {
  readonly id: number;
  /** Null is the admin. */
  readonly person: PersonId | null;
  readonly way: LogInWay;
  /** The user that a proxy named at sign-in; null if none did. */
  readonly proxied: string | null;
  /** User-Agent; "" if none. */
  readonly agent: string;
  readonly beganAt: Temporal.Instant;
  /** Accurate to one hour. */
  readonly usedAt: Temporal.Instant;
  readonly until: Temporal.Instant;
}

/** A link by mail that signs a person in, once. */
export interface LogInLink {
  readonly id: number;
  readonly person: PersonId;
  /** The page it leads to, relative to the start page; "" is the start page. */
  readonly next: string;
  readonly askedAt: Temporal.Instant;
  readonly until: Temporal.Instant;
  readonly usedAt: Temporal.Instant | null;
}

export function logInRow(row: unknown): LogIn {
  const raw = tableRow<"sessions">(row);
  const { id, way, proxied, agent } = raw;
  return {
    id,
    way,
    proxied,
    agent,
    person: raw.person === null ? null : personId(raw.person),
    beganAt: Temporal.Instant.from(raw.began_at),
    usedAt: Temporal.Instant.from(raw.used_at),
    until: Temporal.Instant.from(raw.until),
  };
}

export function logInLinkRow(row: unknown): LogInLink {
  const raw = tableRow<"login_links">(row);
  return {
    id: raw.id,
    person: personId(raw.person),
    next: raw.next,
    askedAt: Temporal.Instant.from(raw.asked_at),
    until: Temporal.Instant.from(raw.until),
    usedAt: instantOf(raw.used_at),
  };
}
