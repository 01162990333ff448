/** User name and password of HTTP Basic authentication. */
export interface Credentials {
  readonly login: string;
  readonly password: string;
}

/** Parses an Authorization header as UTF-8. Null if it is not well-formed Basic authentication. Source: RFC 7617 section 2. */
export function readBasic(header: string | undefined): Credentials | null {
  const [, token] = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? "") ?? [];
  if (token === undefined) return null;
  const text = Buffer.from(token, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? null : { login: text.slice(0, colon), password: text.slice(colon + 1) };
}
