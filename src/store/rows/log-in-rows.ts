import { personId } from "../../domain/ids.ts";
import { instantOf, orNull, rowReader, toInstant } from "./row.ts";
import type { Tables } from "./tables.ts";

/** A signed-in browser. */
export const logInRow = rowReader<Tables["sessions"]>()({
  id: "same",
  /** Null is the admin. */
  person: orNull(personId),
  way: "same",
  /** The user that a proxy named at sign-in; null if none did. */
  proxied: "same",
  /** User-Agent; "" if none. */
  agent: "same",
  beganAt: toInstant,
  /** Accurate to one hour. */
  usedAt: toInstant,
  until: toInstant,
});
export type LogIn = ReturnType<typeof logInRow>;
/** How somebody signed in: with the admin token, an app password, or a link by mail. */
export type LogInWay = LogIn["way"];

/** A link by mail that signs a person in, once. */
export const logInLinkRow = rowReader<Tables["login_links"]>()({
  id: "same",
  person: personId,
  /** The page it leads to, relative to the start page; "" is the start page. */
  next: "same",
  askedAt: toInstant,
  until: toInstant,
  usedAt: instantOf,
});
export type LogInLink = ReturnType<typeof logInLinkRow>;
