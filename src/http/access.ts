import { operations } from "../operations/operations.ts";

/** Who may access something: everyone, anyone with its secret URL, a person of the workspace, the admin only. */
export type Who = "anyone" | "secret" | "person" | "admin";

/**
 * How the user is identified. `page`: a browser session, or an authenticating proxy; `program`: the Authorization header;
 * `agent`: the same, also with an access token; `own`: by the handler itself.
 */
type Door = "page" | "program" | "agent" | "own";

/** One row: who may use these methods at URLs with this pattern. */
export interface AccessRule {
  /** GET includes HEAD; "*" means any method. */
  readonly methods: readonly string[];
  /** `:name` stands for one path segment, `*` at the end for any number of them. */
  readonly path: string;
  readonly who: Who;
  readonly door: Door;
}

/** Open to everyone, without signing in. */
const open = (methods: string, path: string) => rule(methods, path, { who: "anyone", door: "own" });

/** Open to anyone with the URL. Mail programs and other sites may link there. */
const link = (methods: string, path: string) => rule(methods, path, { who: "secret", door: "own" });

/** Used before signing in, and only by this server's own forms. */
const door = (methods: string, path: string) =>
  rule(methods, path, { who: "anyone", door: "page" });

const page = (who: Who, methods: string, path: string) =>
  rule(methods, path, { who, door: "page" });

const api = (who: Who, methods: string, path: string) =>
  rule(methods, path, { who, door: "program" });

const rule = (
  methods: string,
  path: string,
  { who, door: by }: Pick<AccessRule, "who" | "door">,
): AccessRule => ({ methods: methods.split(" "), path, who, door: by });

/**
 * Access control: every route has a row here, and others are refused. People only see what is theirs, which the modules check.
 */
export const accessTable: readonly AccessRule[] = [
  open("GET", "/healthz"),
  open("GET", "/readyz"),
  open("GET", "/metrics"),
  open("GET", "/robots.txt"),
  open("GET", "/assets/:name"),
  open("GET", "/app.webmanifest"),
  open("GET", "/worker.js"),
  open("GET", "/api/openapi.json"),
  page("person", "GET", "/live"),
  page("person", "GET", "/reports"),
  page("person", "GET", "/reports/:name"),
  page("person", "GET", "/reports/:name/download"),

  // Feeds refuse writes themselves.
  link("*", "/feeds/:secret/:file"),
  link("GET POST", "/act/:signed"),
  link("GET", "/act/:signed/:edit"),
  link("POST", "/act/:signed/:edit/undo"),
  link("GET POST", "/unsubscribe/:signed"),

  // CalDAV authenticates itself, with its own responses.
  rule("*", "/dav/*", { who: "person", door: "own" }),
  rule("*", "/.well-known/caldav", { who: "person", door: "own" }),
  rule("POST", "/mcp", { who: "person", door: "agent" }),
  // Calendar programs try these paths before they find CalDAV.
  rule("OPTIONS PROPFIND REPORT", "/", { who: "person", door: "own" }),
  rule("OPTIONS PROPFIND REPORT", "*", { who: "person", door: "own" }),

  door("GET POST", "/login"),
  door("POST", "/login/link"),
  door("GET POST", "/login/:signed"),
  page("person", "POST", "/logout"),
  page("person", "GET POST", "/language"),

  page("person", "GET", "/"),
  page("person", "GET", "/search"),
  page("person", "GET", "/calendar"),
  page("person", "GET", "/calendar/events.json"),
  page("person", "GET POST", "/calendar/new"),
  page("person", "GET POST", "/calendar/items/:key"),
  page("person", "POST", "/calendar/items/:key/delete"),
  page("admin", "GET", "/status"),
  page("admin", "GET POST", "/status/check"),
  page("admin", "GET POST", "/status/test"),
  page("admin", "GET POST", "/status/backups"),
  page("admin", "GET", "/status/backups/:name"),
  page("person", "GET", "/edits"),
  page("person", "GET POST", "/edits/file"),
  page("person", "GET POST", "/edits/file/apply"),
  page("admin", "POST", "/edits/removals/release"),
  page("person", "GET", "/edits/:id"),
  page("person", "GET", "/edits/:id/:act"),
  page("person", "GET POST", "/feeds"),
  page("person", "POST", "/feeds/count"),
  page("person", "GET POST", "/feeds/:id"),
  page("person", "GET", "/connect"),
  page("person", "POST", "/edits/:id/approve"),
  page("person", "POST", "/edits/:id/discard"),
  page("person", "POST", "/edits/:id/retry"),
  page("person", "POST", "/edits/:id/preview"),
  page("person", "POST", "/edits/:id/resolve"),
  page("person", "GET POST", "/edits/:id/undo"),
  page("person", "POST", "/edits/:id/undo-series"),
  page("admin", "POST", "/people/:id/password"),
  page("admin", "POST", "/people/:id/password/clear"),
  page("person", "GET", "/people/:id/dayferry.mobileconfig"),
  page("admin", "GET", "/people"),
  page("admin", "GET", "/people/outbox/:file"),
  page("admin", "GET", "/people/outbox/:file/html"),
  page("admin", "POST", "/people/:id/mails"),
  page("person", "GET", "/me"),
  page("admin", "GET POST", "/people/:id/webhook"),
  page("person", "GET POST", "/me/webhook"),
  page("admin", "GET POST", "/people/:id/reminders"),
  page("person", "GET POST", "/me/reminders"),
  page("person", "GET POST", "/me/tokens"),
  page("person", "GET POST", "/webhooks"),
  page("person", "POST", "/me/mails"),
  page("person", "POST", "/me/password"),
  page("person", "POST", "/me/password/clear"),
  page("person", "POST", "/me/log-ins"),

  api("admin", "POST", "/api/zone-probe"),
  ...operations.map(({ access, method, path }) => api(access, method, path)),
];

/** The access rule for a URL. */
export type Admission =
  | { readonly kind: "rule"; readonly rule: AccessRule }
  /** The URL exists for other methods. */
  | { readonly kind: "method"; readonly allowed: readonly string[] }
  | { readonly kind: "unknown" };

/**
 * Finds the row of a request; the most specific one if several match, such as `/edits/:id/approve` instead of
 * `/edits/:id/:act`.
 */
export function createAccess(
  table: readonly AccessRule[] = accessTable,
): (method: string, path: string) => Admission {
  const rows = table
    .map((each) => ({ rule: each, parts: partsOf(each.path), rank: rankOf(each.path) }))
    .toSorted((a, b) => (b.rank < a.rank ? -1 : Number(b.rank > a.rank)));
  const byFirst = Map.groupBy(rows, ({ parts: [first = ""] }) => first);
  return (method, path) => {
    const asked = partsOf(path);
    const here = (byFirst.get(asked[0] ?? "") ?? []).filter(({ parts }) => matches(parts, asked));
    const meant = method === "HEAD" ? "GET" : method;
    const row = here.find(({ rule: { methods } }) => methods.some((m) => m === meant || m === "*"));
    if (row) return { kind: "rule", rule: row.rule };
    const allowed = [...new Set(here.flatMap(({ rule: { methods } }) => methods))];
    return allowed.length > 0 ? { kind: "method", allowed } : { kind: "unknown" };
  };
}

/** Without a leading slash, and without a trailing one, which routes accept too. */
const partsOf = (path: string): readonly string[] =>
  path.replace(/^\//, "").replace(/\/$/, "").split("/");

/** Sorts literal segments before parameters, and parameters before a `*` at the end. */
const rankOf = (path: string): string =>
  partsOf(path)
    .map((part) => (part === "*" ? "a" : part.startsWith(":") ? "b" : "c"))
    .join("");

function matches(parts: readonly string[], asked: readonly string[]): boolean {
  const isOpenEnded = parts.at(-1) === "*";
  const fixed = isOpenEnded ? parts.slice(0, -1) : parts;
  if (isOpenEnded ? asked.length < fixed.length : asked.length !== fixed.length) return false;
  return fixed.every((part, index) =>
    part.startsWith(":") ? (asked[index] ?? "") !== "" : part === asked[index],
  );
}
