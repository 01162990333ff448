import { operations } from "../operations/operations.ts";

/** Who may ask for something: everybody, who holds the secret in its address, a person of the workspace, the admin alone. */
export type Who = "anyone" | "secret" | "person" | "admin";

/**
 * By what it is known who asks. `page`: a browser's log-in, or a proxy that has people log in; `program`: the Authorization
 * header; `own`: the handler asks itself.
 */
type Door = "page" | "program" | "own";

/** One row: these methods, at addresses of this pattern, are for them. */
export interface AccessRule {
  /** HEAD goes with GET; "*" is any. */
  readonly methods: readonly string[];
  /** `:name` is any one part of an address, `*` at the end all that follow, and none. */
  readonly path: string;
  readonly who: Who;
  readonly door: Door;
}

/** For everybody, without a log-in. */
const open = (methods: string, path: string) => rule(methods, path, { who: "anyone", door: "own" });

/** For who has the address. Mail programs and other sites may lead there. */
const link = (methods: string, path: string) => rule(methods, path, { who: "secret", door: "own" });

/** Before a log-in, where only this server's own forms may post to. */
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
 * Who may do what: every route has its row here, and what has none is refused. A person is shown the own things alone; that is
 * seen to where the things are kept.
 */
export const accessTable: readonly AccessRule[] = [
  open("GET", "/healthz"),
  open("GET", "/readyz"),
  open("GET", "/metrics"),
  open("GET", "/robots.txt"),
  open("GET", "/assets/:name"),
  page("person", "GET", "/live"),
  page("person", "GET", "/reports"),
  page("person", "GET", "/reports/:name"),
  page("person", "GET", "/reports/:name/download"),

  // Feeds say themselves that they are only read.
  link("*", "/feeds/:secret/:file"),
  link("GET POST", "/act/:signed"),
  link("GET", "/act/:signed/:edit"),
  link("POST", "/act/:signed/:edit/undo"),
  link("GET POST", "/unsubscribe/:signed"),

  // CalDAV asks for the app password itself, and answers in its own words.
  rule("*", "/dav/*", { who: "person", door: "own" }),
  rule("*", "/.well-known/caldav", { who: "person", door: "own" }),
  // What its programs try before they look for it.
  rule("OPTIONS PROPFIND REPORT", "/", { who: "person", door: "own" }),
  rule("OPTIONS PROPFIND REPORT", "*", { who: "person", door: "own" }),

  door("GET POST", "/login"),
  door("POST", "/login/link"),
  door("GET POST", "/login/:signed"),
  page("person", "POST", "/logout"),

  page("person", "GET", "/"),
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
  page("person", "GET POST", "/feeds/:id"),
  page("person", "GET", "/connect"),
  page("admin", "POST", "/edits/:id/approve"),
  page("person", "POST", "/edits/:id/discard"),
  page("person", "POST", "/edits/:id/retry"),
  page("person", "POST", "/edits/:id/preview"),
  page("person", "POST", "/edits/:id/resolve"),
  page("person", "GET POST", "/edits/:id/undo"),
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
  page("person", "POST", "/me/mails"),
  page("person", "POST", "/me/password"),
  page("person", "POST", "/me/password/clear"),
  page("person", "POST", "/me/log-ins"),

  api("admin", "GET", "/api/status"),
  api("admin", "POST", "/api/zone-probe"),
  api("admin", "GET POST", "/api/backups"),
  api("admin", "GET", "/api/backups/:name"),
  ...operations.map(({ access, method, path }) => api(access, method, path)),
  api("person", "GET", "/api/reports"),
  api("person", "GET", "/api/reports/:name"),
  api("person", "GET", "/api/items"),
];

/** What an address is for. */
export type Admission =
  | { readonly kind: "rule"; readonly rule: AccessRule }
  /** It is there, for other methods. */
  | { readonly kind: "method"; readonly allowed: readonly string[] }
  | { readonly kind: "unknown" };

/** Finds the row of a request; of several the one that says most, so that `/edits/:id/approve` goes before `/edits/:id/:act`. */
export function createAccess(
  table: readonly AccessRule[] = accessTable,
): (method: string, path: string) => Admission {
  const rows = table
    .map((each) => ({ rule: each, parts: partsOf(each.path), rank: rankOf(each.path) }))
    .toSorted((a, b) => b.rank.localeCompare(a.rank));
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

/** Without the slash in front, and without one at the end, which routes take as well. */
const partsOf = (path: string): readonly string[] =>
  path.replace(/^\//, "").replace(/\/$/, "").split("/");

/** A written part goes before any one, and that before all that follow. */
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
