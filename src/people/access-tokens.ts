import { hash } from "node:crypto";
import { isRecent } from "../domain/backoff.ts";
import type { PersonId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import type { TokenScope } from "../store/calendars/token-table.ts";
import type { Store } from "../store/store.ts";

interface AccessTokensDeps {
  readonly store: Pick<Store, "accessTokens" | "directory">;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly clock: () => Temporal.Instant;
}

/** Begins each token, so that leaked ones can be found. */
const prefix = "dayferry_";

/** The last use of a token is recorded at most this often. */
const notedEvery = Temporal.Duration.from({ minutes: 1 });

/** Tokens with which agents act for people, each with 256 random bits. */
export type AccessTokens = ReturnType<typeof createAccessTokens>;

export function createAccessTokens({ store, randomBytes, clock }: AccessTokensDeps) {
  const { accessTokens, directory } = store;
  return {
    /** Makes a token; it cannot be shown again. */
    issue(person: PersonId, about: { readonly name: string; readonly scope: TokenScope }) {
      const token = `${prefix}${Buffer.from(randomBytes(32)).toString("base64url")}`;
      const id = accessTokens.add({ person, ...about, digest: digestOf(token) });
      return { id, token };
    },
    /** The person to whom a token belongs, and what it allows; null if it is unknown or the person has left. */
    check(token: string): { readonly person: Person; readonly scope: TokenScope } | null {
      const known = token.startsWith(prefix) ? accessTokens.find(digestOf(token)) : null;
      const person = known && directory.activePerson(known.person);
      if (!known || !person) return null;
      const { usedAt, id, scope } = known;
      const isNoted = usedAt && isRecent(usedAt, { length: notedEvery, now: clock() });
      if (!isNoted) accessTokens.used(id);
      return { person, scope };
    },
  };
}

const digestOf = (token: string): string => hash("sha256", token, "hex");
