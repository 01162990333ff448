import { METHODS } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { accessTable } from "../../src/http/access.ts";
import { rows as some } from "../support/effort.ts";
import { testDirectory } from "../support/test-store.ts";
import {
  type Answer,
  type AttackedWorld,
  attackedWorld,
  type Identity,
  type Role,
  secretOf,
  type Thing,
  things,
  words,
} from "./attacked-world.ts";
import { routesOf } from "./routes.ts";

/** The kinds of things that an address names: its owner decides who may pass. */
type Named = "item" | "edit" | "feed" | "person" | "mail" | "secret" | "nothing";

/** One route: the thing it names, and its answers to those who may see that thing. */
interface Row {
  readonly named: Named;
  /** For GET the status; for a change only that it was permitted. */
  readonly granted: number | "let in";
  /** For the admin, if different. */
  readonly admin?: number | "let in";
  readonly query?: string;
  /** It needs its own process: these roles see what it sends. */
  readonly slowFor?: RegExp;
}

const nothing = (granted: Row["granted"], more: Partial<Row> = {}): Row => ({
  named: "nothing",
  granted,
  ...more,
});
const of = (named: Named, granted: Row["granted"], more: Partial<Row> = {}): Row => ({
  named,
  granted,
  ...more,
});
const post = nothing("let in");

/** Every route must have its row: the first test below fails for one without. */
const rows: Readonly<Record<string, Row>> = {
  "GET /healthz": nothing(200),
  "GET /readyz": nothing(200),
  "GET /robots.txt": nothing(200),
  // Numbers without names, for everybody who can reach the port.
  "GET /metrics": nothing(200),
  "GET /app.webmanifest": nothing(200),
  "GET /worker.js": nothing(200),
  "GET /assets/:name": nothing(404),
  "GET /live": nothing(200),
  "GET /reports": nothing(200),
  "GET /reports/:name": nothing(200, { slowFor: /member by/ }),
  // The same answers by the same handler as those of the API.
  "GET /reports/:name/download": nothing(404, { slowFor: /member by/ }),
  "GET /feeds/:secret/:file": of("secret", 200),
  "* /feeds/:secret/:file": of("nothing", "let in"),
  // The tests of links try valid signatures; here none is valid.
  "GET /act/:signed": nothing(404),
  "POST /act/:signed": nothing(404),
  "GET /act/:signed/:edit": nothing(404),
  "POST /act/:signed/:edit/undo": nothing(404),
  "GET /unsubscribe/:signed": nothing(404),
  "POST /unsubscribe/:signed": nothing(404),
  "GET /login/:signed": nothing(410),
  "POST /login/:signed": nothing(410),
  "GET /login": nothing(200),
  // Empty input is answered like wrong input.
  "POST /login": nothing(403),
  "POST /login/link": nothing(400),
  "POST /logout": nothing(303),
  "GET /language": nothing(303),
  "POST /language": nothing(303),
  "GET /": nothing(200),
  "GET /search": nothing(200, { query: "text=e" }),
  "GET /calendar": nothing(200),
  "GET /calendar/events.json": nothing(200, { query: "from=2026-11-01&to=2026-12-10" }),
  "GET /calendar/new": nothing(200),
  "POST /calendar/new": post,
  "GET /calendar/items/:key": of("item", 200),
  "POST /calendar/items/:key": of("item", "let in"),
  "POST /calendar/items/:key/delete": of("item", "let in"),
  "GET /status": nothing(200),
  "GET /status/check": nothing(303),
  "POST /status/check": post,
  "GET /status/test": nothing(303),
  "POST /status/test": post,
  "GET /status/backups": nothing(303),
  "POST /status/backups": post,
  "GET /status/backups/:name": nothing(404),
  "GET /edits": nothing(200),
  "GET /edits/file": nothing(200),
  "POST /edits/file": post,
  "GET /edits/file/apply": nothing(303),
  "POST /edits/file/apply": post,
  "POST /edits/removals/release": post,
  "GET /edits/:id": of("edit", 200),
  "GET /edits/:id/undo": of("edit", 200),
  // Redirects to the page of the edit, which decides.
  "GET /edits/:id/:act": nothing(303),
  "POST /edits/:id/preview": of("edit", "let in"),
  "POST /edits/:id/resolve": of("edit", "let in"),
  "POST /edits/:id/retry": of("edit", "let in"),
  "POST /edits/:id/undo": of("edit", "let in"),
  "POST /edits/:id/undo-series": of("edit", "let in"),
  // People approve an agent's proposals; this edit is not one.
  "POST /edits/:id/approve": of("edit", 403, { admin: "let in" }),
  "POST /edits/:id/discard": of("edit", "let in"),
  "GET /feeds": nothing(200),
  "POST /feeds": post,
  "POST /feeds/count": post,
  "GET /feeds/:id": of("feed", 200),
  "POST /feeds/:id": of("feed", "let in"),
  "GET /connect": nothing(200),
  "GET /people": nothing(200),
  "GET /people/outbox/:file": of("mail", 200),
  "GET /people/outbox/:file/html": of("mail", 200),
  "POST /people/:id/mails": of("person", "let in"),
  "POST /people/:id/password": of("person", "let in"),
  "POST /people/:id/password/clear": of("person", "let in"),
  "GET /people/:id/dayferry.mobileconfig": of("person", 200),
  "GET /me": nothing(200, { admin: 303 }),
  "GET /people/:id/webhook": of("person", 200),
  "POST /people/:id/webhook": of("person", "let in"),
  "GET /people/:id/reminders": of("person", 200),
  "POST /people/:id/reminders": of("person", "let in"),
  "GET /me/reminders": nothing(200, { admin: 303 }),
  "POST /me/reminders": post,
  "GET /me/webhook": nothing(200, { admin: 303 }),
  "POST /me/webhook": post,
  "GET /webhooks": nothing(200),
  "POST /webhooks": post,
  "POST /me/mails": post,
  "POST /me/password": post,
  "POST /me/password/clear": post,
  "POST /me/log-ins": post,
  "GET /api/openapi.json": nothing(200),
  "GET /api/status": nothing(200),
  "GET /api/feeds": nothing(200),
  "POST /api/feeds": post,
  "POST /api/feeds/:id/rotate": of("feed", "let in"),
  // Only ended feeds can be reopened: test/http/feed-routes.test.ts says for whom.
  "POST /api/feeds/:id/reopen": post,
  "PATCH /api/feeds/:id": of("feed", "let in"),
  "DELETE /api/feeds/:id": of("feed", "let in"),
  "GET /api/brakes": nothing(200),
  "POST /api/brakes/:source/release": nothing("let in"),
  "GET /api/edits": nothing(200),
  "POST /api/edits": post,
  "GET /api/edits/:id": of("edit", 200),
  "POST /api/edits/:id/approve": of("edit", 403, { admin: "let in" }),
  "POST /api/edits/:id/discard": of("edit", "let in"),
  "POST /api/edits/:id/retry": of("edit", "let in"),
  "POST /api/edits/:id/resolve": of("edit", "let in"),
  "GET /api/edits/:id/undo": of("edit", 200),
  "POST /api/edits/:id/undo": of("edit", "let in"),
  "POST /api/edits/:id/undo-series": of("edit", "let in"),
  "GET /api/summary": nothing(200),
  "GET /api/search": nothing(200, { query: "text=e" }),
  "GET /api/agenda": nothing(200),
  "GET /me/tokens": nothing(200, { admin: 303 }),
  "POST /me/tokens": post,
  "POST /mcp": post,
  "GET /api/tokens": nothing(200, { admin: 400 }),
  "POST /api/tokens": post,
  "DELETE /api/tokens/:id": post,
  "GET /api/webhooks": nothing(200),
  "POST /api/webhooks": post,
  "DELETE /api/webhooks/:webhook": post,
  "GET /api/webhooks/:webhook/deliveries": nothing(404),
  "POST /api/webhooks/:webhook/test": post,
  "POST /api/items": post,
  "GET /api/items/:uid": nothing(404),
  "PATCH /api/items/:uid": post,
  "DELETE /api/items/:uid": post,
  "GET /api/people": nothing(200),
  "GET /api/people/:id/password": of("person", "let in"),
  "POST /api/people/:id/password": of("person", "let in"),
  "DELETE /api/people/:id/password": of("person", "let in"),
  // The service cannot be reached here, and an incomplete request is answered first.
  "GET /api/files": nothing(400),
  "POST /api/files": post,
  "DELETE /api/files/:id": post,
  "GET /api/tasks/:task/comments": nothing(404),
  "POST /api/tasks/:task/comments": post,
  "POST /api/tasks/:task/copy": post,
  "POST /api/tasks/:task/move": post,
  "GET /api/labels": nothing(502),
  "POST /api/labels": post,
  "POST /api/labels/:id": post,
  "DELETE /api/labels/:id": post,
  "POST /api/zone-probe": post,
  "GET /api/backups": nothing(200),
  "POST /api/backups": post,
  "GET /api/backups/:name": nothing(404),
  "GET /api/reports": nothing(200),
  "GET /api/reports/:name": nothing(404, { slowFor: /member by/ }),
  "GET /api/items": nothing(200, { slowFor: /member by/ }),
};

/** Routes that take something from later requests: passwords, the log-in, the thing itself. */
const lateness = (route: string): number =>
  [/DELETE|discard|\/delete|rotate/, /password|log-ins/, /POST \/log(?:in|out)/].findLastIndex(
    (late) => late.test(route),
  );

/** Who may see each thing; the admin may see all. */
const open: Readonly<
  Record<Exclude<Named, "nothing" | "secret">, Readonly<Record<Thing, readonly Identity[]>>>
> = {
  item: {
    own: ["ana", "dora", "admin"],
    other: ["ben", "admin"],
    private: ["ben", "admin"],
    gone: [],
  },
  edit: { own: ["ana", "admin"], other: ["ben", "admin"], private: ["admin"], gone: [] },
  feed: { own: ["ana", "admin"], other: ["ben", "admin"], private: ["admin"], gone: [] },
  person: { own: ["ana", "admin"], other: ["ben", "admin"], private: ["admin"], gone: [] },
  mail: { own: ["admin"], other: [], private: [], gone: [] },
};
const personOf = { own: 11, other: 12, private: 13, gone: 99 } as const;

interface Cell {
  readonly route: string;
  readonly row: Row;
  readonly role: Role;
  readonly thing: Thing;
}

/** The address of a thing, and the part of it that identifies the thing. */
function addressOf(
  world: AttackedWorld,
  { route, row, thing }: Pick<Cell, "route" | "row" | "thing">,
) {
  const [, pattern = ""] = route.split(" ");
  const name = {
    item: String(world.items[thing]),
    edit: String(world.edits[thing]),
    feed: String(world.feedsOf[thing].id),
    person: String(personOf[thing]),
    mail: thing === "own" ? "1.eml" : `no-${thing}.eml`,
    secret: "",
    nothing: "1",
  }[row.named];
  const path =
    row.named === "secret"
      ? world.feedsOf[thing].path
      : pattern
          .replace(/^\/reports\/:name$/, "/reports/overdue")
          .replace(":signed/:edit", "AQAA/1")
          .replace(":signed", "AQAA")
          .replace(":secret", "wrong")
          .replace(":source", "events:1")
          .replace(":act", "retry")
          .replace(/:(?:id|key|task)\b/, name)
          .replace(":file", row.named === "mail" ? name : "a.ics")
          .replace(":name", "none");
  return { path: row.query ? `${path}?${row.query}` : path, name };
}

/** The role that the route sees: by its own log-in, or nobody. */
function identityOf({ route, role }: Pick<Cell, "route" | "role">): Identity {
  return isForProgram(route) ? role.api : role.page;
}

const isForProgram = (route: string): boolean => ["program", "agent"].includes(doorOf(route).door);

function doorOf(route: string) {
  const [method = "", path = ""] = route.split(" ");
  const rule = accessTable.find(
    (each) => each.path === path && each.methods.some((one) => one === method || one === "*"),
  );
  if (!rule) throw new Error(`${route} is not in the access table`);
  return rule;
}

/** The expected answer. */
type Expected = number | "let in" | "log in";

function expectedOf(cell: Cell): Expected {
  const { route, row, thing, role } = cell;
  const { who } = doorOf(route);
  const identity = identityOf(cell);
  if (who === "secret" || who === "anyone") {
    if (row.named === "secret") return thing === "gone" ? 404 : row.granted;
    // Redirects those who have already logged in.
    const isIn = route === "GET /login" && role.headers["cookie"] !== undefined;
    return isIn && role.page !== "nobody" ? 303 : row.granted;
  }
  if (identity === "stranger") return 403;
  if (identity === "nobody") return isForProgram(route) ? 401 : "log in";
  if (who === "admin" && identity !== "admin") return 403;
  if (row.named !== "nothing" && row.named !== "secret") {
    if (!open[row.named][thing].includes(identity)) return 404;
  }
  return identity === "admin" && row.admin !== undefined ? row.admin : row.granted;
}

/** What is wrong with the status; null if it is right. */
function statusFault(expected: Expected, { status, headers }: Answer): string | null {
  const isLedAway = status === 303 && /(?:^|\/)login(?:\?|$)/.test(headers.location ?? "");
  if (expected === "log in") return isLedAway ? null : `${status} and no log-in`;
  if (expected !== "let in") return status === expected ? null : `${status} for ${expected}`;
  const isRefused = status === 401 || status === 403 || status === 429 || status === 500;
  return isRefused || isLedAway ? `refused by ${status}` : null;
}

/** The words of things hidden from this role. */
function foreignWords(cell: Cell): readonly string[] {
  const identity = identityOf(cell);
  if (identity === "admin") return [];
  return things.flatMap((thing) => {
    const isSeen =
      open.item[thing].includes(identity) || (cell.row.named === "secret" && thing === cell.thing);
    return isSeen ? [] : words[thing];
  });
}

/** Addresses of feeds, passwords and keys that are not this role's. */
function foreignSecrets(world: AttackedWorld, cell: Cell): readonly string[] {
  const identity = identityOf(cell);
  const feeds = things
    .filter((thing) => cell.row.named !== "secret" && !open.feed[thing].includes(identity))
    .filter((thing) => !(thing === "gone" && identity === "admin"))
    .map((thing) => secretOf(world.feedsOf[thing].path));
  return [...feeds, "hush", "refused-key", "the-admin-token", ...Object.values(world.given)];
}

function headerFaults({ headers, status }: Answer): readonly string[] {
  const policy = String(headers["content-security-policy"] ?? "");
  const isPage = `${headers["content-type"]}`.startsWith("text/html");
  const isFeed = `${headers["content-type"]}`.startsWith("text/calendar");
  return [
    headers["x-content-type-options"] === "nosniff" ? [] : "may be sniffed",
    isFeed || /default-src 'none'/.test(policy) ? [] : "no policy",
    isPage && !/frame-ancestors '(?:none|self)'/.test(policy) ? "may be framed" : [],
    isPage && /unsafe-(?:inline|eval)/.test(policy.replace("style-src 'unsafe-inline'", ""))
      ? "runs what stands in it"
      : [],
    /no-store|private/.test(headers["cache-control"] ?? "") ? [] : "may be kept by caches",
    headers["x-powered-by"] === undefined ? [] : "tells what it is made with",
    headers["access-control-allow-origin"] === undefined ? [] : "may be read by other sites",
    status === 500 ? "failed" : [],
  ].flat();
}

async function faultsOf(world: AttackedWorld, cell: Cell): Promise<readonly string[]> {
  const answer = await askFor(world, cell);
  const { route, role, thing } = cell;
  const said = `${answer.text}\n${JSON.stringify(answer.headers)}`;
  const told = [...foreignWords(cell), ...foreignSecrets(world, cell)].filter((word) =>
    said.includes(word),
  );
  const faults = [
    statusFault(expectedOf(cell), answer) ?? [],
    told.length > 0 ? `tells ${told.join(", ")}` : [],
    ...headerFaults(answer),
  ].flat();
  return faults.map((fault) => `${route} by ${role.name}, ${thing}: ${fault}`);
}

function askFor(world: AttackedWorld, cell: Cell): Promise<Answer> {
  const { route } = cell;
  // Wrong log-ins from one address are delayed.
  const role = route === "POST /login" ? { ...cell.role, from: world.elsewhere } : cell.role;
  const method = route.startsWith("*") ? "PUT" : (route.split(" ", 1)[0] ?? "");
  const { path } = addressOf(world, cell);
  const isForm = !isForProgram(route);
  const body = isForm
    ? new URLSearchParams({ form: role.formToken, confirmed: "yes" }).toString()
    : "{}";
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
  return world.call(`${method} ${path}`, {
    role,
    headers: { accept: "text/html", ...(method === "GET" ? {} : { "content-type": type }) },
    ...(method === "GET" ? {} : { body }),
  });
}

const thingsOf = ({ named }: Row): readonly Thing[] => (named === "nothing" ? ["own"] : things);

const isRefusal = (expected: Expected): boolean =>
  expected === "log in" || expected === 401 || expected === 403 || expected === 404;

const cellsOf = (world: AttackedWorld): readonly Cell[] =>
  Object.entries(rows).flatMap(([route, row]) =>
    world.roles.flatMap((role) => thingsOf(row).map((thing) => ({ route, row, role, thing }))),
  );

/** The stored data, as far as any route could change it. */
function keptBy({ store, feeds, people, passwords }: AttackedWorld): string {
  return JSON.stringify([
    store.journal.list({ limit: 1000 }),
    feeds
      .list()
      .map(({ id, name, path, filter, revokedAt }) => [id, name, path, filter, revokedAt]),
    people.list(),
    passwords.list(),
    // Sessions of suspended people end when they are looked at.
    [11, 12, 14, 15].map((id) => {
      const person = people.list().find((one) => one.id === id)?.id;
      return person && [store.logIns.of(person).length, store.mailChoices.list(person)];
    }),
  ]);
}

describe("each route by each role for each thing", () => {
  it("has a row, and no row is for a missing route", async () => {
    const world = await attackedWorld();
    const routes = routesOf(world.app.router.stack).map(([method, path]) => `${method} ${path}`);
    expect(routes.filter((route) => rows[route] === undefined)).toEqual([]);
    expect(Object.keys(rows).filter((route) => !routes.includes(route))).toEqual([]);
  });

  it("gives the right answer where a role is refused or only looks, and changes nothing", async () => {
    const world = await attackedWorld({ file: join(testDirectory(), "dayferry.sqlite") });
    const before = keptBy(world);
    const quiet = cellsOf(world).filter(
      (cell) =>
        isRefusal(expectedOf(cell)) ||
        (cell.route.startsWith("GET") && cell.row.slowFor?.test(cell.role.name) !== false),
    );
    expect(quiet.length).toBeGreaterThan(1500);
    const faults: string[] = [];
    for (const cell of some(quiet, 5)) faults.push(...(await faultsOf(world, cell)));
    expect(faults).toEqual([]);
    expect(keptBy(world)).toBe(before);
  });

  it("never lets anybody tell another's, private and deleted things apart", async () => {
    const world = await attackedWorld();
    const told: string[] = [];
    for (const [route, row] of Object.entries(rows)) {
      if (row.named === "nothing") continue;
      for (const role of world.roles) {
        const hidden = things
          .map((thing) => ({ route, row, role, thing }))
          .filter((cell) => expectedOf(cell) === 404);
        const answers = await Promise.all(
          hidden.map(async (cell) => {
            const { status, headers, text } = await askFor(world, cell);
            const { date: _, "content-length": __, etag: ___, ...rest } = headers;
            const { path } = addressOf(world, cell);
            const plain = `${text} ${JSON.stringify(rest)}`.replaceAll(path, "PATH");
            return `${status} ${plain.replaceAll(/\d+/g, "N").replaceAll(/no-\w+\.eml/g, "MAIL")}`;
          }),
        );
        if (new Set(answers).size > 1) told.push(`${route} by ${role.name}: ${answers.join("\n")}`);
      }
    }
    expect(told).toEqual([]);
  });

  it("lets the permitted role change what is theirs and see nothing else", async () => {
    const faults: string[] = [];
    const { roles } = await attackedWorld();
    for (const { name } of roles) {
      const own = await attackedWorld();
      const asked = cellsOf(own)
        .filter(({ route, role }) => role.name === name && !route.startsWith("GET"))
        .filter((cell) => !isRefusal(expectedOf(cell)))
        .toSorted((a, b) => lateness(a.route) - lateness(b.route));
      for (const cell of asked) faults.push(...(await faultsOf(own, cell)));
    }
    expect(faults).toEqual([]);
  });
});

const pairsOf = <A, B>(left: readonly A[], right: readonly B[]): readonly (readonly [A, B])[] =>
  left.flatMap((one) => right.map((other) => [one, other] as const));

describe("each method of CalDAV by each role for each thing", () => {
  const targets: Readonly<Record<Thing, readonly string[]>> = {
    own: ["calendars/11/", "calendars/11/events-2001/", "principals/11/"],
    other: ["calendars/12/", "calendars/12/events-2002/", "principals/12/"],
    private: ["calendars/12/events-2003/", "calendars/13/"],
    gone: ["calendars/99/", "calendars/99/events-2001/", "principals/99/", "nothing/1/"],
  };
  const body = `<d:propfind xmlns:d="DAV:"><d:allprop/></d:propfind>`;

  it("reveals no word of another person's, and changes nothing for a refused role", async () => {
    const world = await attackedWorld();
    const before = keptBy(world);
    const faults: string[] = [];
    const methods = METHODS.filter((method) => method !== "CONNECT");
    for (const role of world.roles) {
      // Refused for every thing: one address shows it.
      const asked = role.dav === "nobody" ? ["own" as const] : things;
      for (const thing of asked) {
        const paths = role.dav === "nobody" ? targets[thing].slice(1, 2) : targets[thing];
        for (const [method, path] of pairsOf(methods, paths)) {
          const { status, text, headers } = await world.call(`${method} /dav/${path}`, {
            role,
            headers: { depth: "1", "content-type": "text/xml" },
            ...(method === "PROPFIND" || method === "REPORT" ? { body } : {}),
          });
          const said = `${text}${JSON.stringify(headers)}`;
          const foreign = things
            .filter((one) => !open.item[one].includes(role.dav))
            .flatMap((one) => words[one])
            .filter((word) => said.includes(word));
          const at = `${method} ${path} by ${role.name}: ${status}`;
          if (foreign.length > 0) faults.push(`${at} tells ${foreign.join(", ")}`);
          const isLoose = method === "OPTIONS" && role.headers["authorization"] === undefined;
          if (role.dav === "nobody" && !isLoose && status !== 401) faults.push(at);
          if (status >= 500 && status !== 501) faults.push(at);
          const isMine = role.dav === "ana" ? thing === "own" : role.dav === "nobody";
          if (!isMine && role.dav === "ana" && status < 400) faults.push(at);
          if (headers["x-content-type-options"] !== "nosniff") faults.push(`${at} may be sniffed`);
        }
      }
    }
    expect(faults).toEqual([]);
    expect(keptBy(world)).toBe(before);
  });

  it("answers for another person's things as for missing ones", async () => {
    const world = await attackedWorld();
    const role = world.role("a member by password");
    const told: string[] = [];
    for (const method of [
      "GET",
      "PROPFIND",
      "REPORT",
      "DELETE",
      "PROPPATCH",
      "PUT",
      "MKCALENDAR",
    ]) {
      const pairs = [
        ["calendars/12/events-2002/", "calendars/12/events-9999/"],
        ["calendars/12/events-2002/event-2.ics", "calendars/12/events-2002/event-9.ics"],
        ["calendars/11/events-2002/", "calendars/11/events-9999/"],
        ["calendars/11/events-2002/event-2.ics", "calendars/11/events-9999/event-2.ics"],
        ["calendars/12/", "calendars/99/"],
        ["principals/12/dayferry.mobileconfig", "principals/99/dayferry.mobileconfig"],
      ];
      for (const pair of pairs) {
        const answers = await Promise.all(
          pair.map((path) => world.call(`${method} /dav/${path}`, { role })),
        );
        const plain = answers.map(
          ({ status, text }) => `${status} ${text.replaceAll(/\d+/g, "N")}`,
        );
        if (plain[0] !== plain[1]) told.push(`${method} ${pair.join(" ")}: ${plain.join(" | ")}`);
      }
    }
    expect(told).toEqual([]);
  });
});
