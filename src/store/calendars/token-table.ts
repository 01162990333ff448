import { type PersonId, personId } from "../../domain/ids.ts";
import { instantText, numberColumn } from "../rows/item-rows.ts";
import { instantOf, tableRow } from "../rows/row.ts";
import type { StoreDeps } from "../steady-database.ts";

/** What an agent may do with a token: read, also propose edits, or also make them. */
export const tokenScopes = ["read", "propose", "edit"] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** A person's token for agents; only its digest is stored. */
export interface AccessToken {
  readonly id: number;
  readonly person: PersonId;
  /** What the person calls it. */
  readonly name: string;
  readonly scope: TokenScope;
  readonly createdAt: Temporal.Instant;
  /** Null before its first use. */
  readonly usedAt: Temporal.Instant | null;
}

/** Tokens by which agents act for people. */
export function createAccessTokenTable({ db, clock }: StoreDeps) {
  const insert = db.prepare(
    "INSERT INTO access_tokens (person, name, scope, digest, created_at) VALUES (@person, @name, @scope, @digest, @now)",
  );
  const byDigest = db.rows("SELECT * FROM access_tokens WHERE digest = ?", accessTokenRow);
  const ofPerson = db.rows(
    "SELECT * FROM access_tokens WHERE person = ? ORDER BY id",
    accessTokenRow,
  );
  const touch = db.prepare("UPDATE access_tokens SET used_at = ? WHERE id = ?");
  const remove = db.prepare("DELETE FROM access_tokens WHERE id = ? AND person = ?");
  const now = () => instantText(clock());
  return {
    add(
      token: Pick<AccessToken, "person" | "name" | "scope"> & { readonly digest: string },
    ): number {
      return Number(insert.run({ ...token, now: now() }).lastInsertRowid);
    },
    find: (digest: string): AccessToken | null => byDigest.find(digest),
    /** Oldest first. */
    of: (person: PersonId): readonly AccessToken[] => ofPerson.all(person),
    used: (id: number): void => void touch.run(now(), id),
    /** False if the person has no such token. */
    remove: (id: number, person: PersonId): boolean => remove.run(id, person).changes > 0,
  };
}

function accessTokenRow(row: unknown): AccessToken {
  const raw = tableRow<"access_tokens">(row);
  return {
    id: numberColumn(row, "id"),
    person: personId(raw.person),
    name: raw.name,
    scope: raw.scope,
    createdAt: Temporal.Instant.from(raw.created_at),
    usedAt: instantOf(raw.used_at),
  };
}
