import type { DavRequest } from "./dav-request.ts";

/**
 * True if `Prefer: return=minimal` omits missing properties. Of several preferences with one name the first counts. Source: RFC
 * 8144 2, RFC 7240 2.
 */
export function wantsMinimal({ headers }: Pick<DavRequest, "headers">): boolean {
  const preferences = (headers["prefer"] ?? "").split(",");
  const asked = preferences.find((preference) => /^\s*return\s*(?:[=;]|$)/i.test(preference));
  return asked !== undefined && /^\s*return\s*=\s*"?minimal"?\s*(?:;|$)/i.test(asked);
}

/** Headers of an answer changed by a preference. Source: RFC 7240 3. */
export const minimalHeaders = { "Preference-Applied": "return=minimal", Vary: "Prefer" } as const;
