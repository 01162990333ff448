import type { DavRequest } from "./dav-request.ts";

/**
 * Whether only what is there is wanted, as `Prefer: return=minimal` says. Of several wishes for one thing the first
 * counts. Source: RFC 8144 2, RFC 7240 2.
 */
export function wantsMinimal({ headers }: Pick<DavRequest, "headers">): boolean {
  const preferences = (headers["prefer"] ?? "").split(",");
  const wish = preferences.find((preference) => /^\s*return\s*(?:[=;]|$)/i.test(preference));
  return wish !== undefined && /^\s*return\s*=\s*"?minimal"?\s*(?:;|$)/i.test(wish);
}

/** Headers of an answer that a preference has changed. Source: RFC 7240 3. */
export const minimalHeaders = { "Preference-Applied": "return=minimal", Vary: "Prefer" } as const;
