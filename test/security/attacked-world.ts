import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { createCaldavServer } from "@dayferry/caldav-server";
import { type PersonId, personId, projectId } from "../../src/domain/ids.ts";
import { createLinkSigner } from "../../src/domain/signed-links.ts";
import { createActionLinks } from "../../src/edits/links/action-links.ts";
import { createPublishedFeeds } from "../../src/feeds/published-feeds.ts";
import { createLog } from "../../src/log.ts";
import { openOutbox } from "../../src/mail/outbox.ts";
import { createPasswords } from "../../src/people/passwords.ts";
import { reportServer } from "../../src/reports/report-processes.ts";
import { feedKey } from "../feeds/rig.ts";
import { bearer, serveFace, token } from "../http/app-rig.ts";
import { everything } from "../http/people-rig.ts";
import { basic, davOptions } from "../support/dav-server.ts";
import { feedOptions } from "../support/feed-options.ts";
import { instantThrottle } from "../support/instant-throttle.ts";
import { anEvent, aPerson, aProject, zone } from "../support/items.ts";
import { reportsHere } from "../support/reports-here.ts";
import { handClock, testDirectory, testStore } from "../support/test-store.ts";

const ids = { ana: 11, ben: 12, cleo: 13, dora: 14, eve: 15 } as const;
type Name = keyof typeof ids;

/** Kinds of items, as Ana sees them: hers, Ben's in his project and in a shared one, and deleted ones. */
export const things = ["own", "other", "private", "gone"] as const;
export type Thing = (typeof things)[number];

/** Words that only this item contains. */
export const words: Readonly<Record<Thing, readonly string[]>> = {
  own: ["Ownword", "Ownsecond", "Ownedit"],
  other: ["Otherword", "Othersecond", "Otheredit", "Otherproject"],
  private: ["Privateword", "Privatesecond", "Privateedit"],
  gone: ["Goneword", "Gonesecond"],
};

/** Who an address and a set of headers act as. */
export type Identity = "nobody" | "ana" | "ben" | "dora" | "stranger" | "admin";

/** A requester: its credentials, and whom pages, the API and CalDAV recognise. */
export interface Role {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The address of the request; a different one each time for wrong credentials. */
  readonly from: () => string;
  readonly page: Identity;
  readonly api: Identity;
  readonly dav: Identity;
  /** The token in this role's forms. */
  readonly formToken: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Sent {
  readonly role: Pick<Role, "headers" | "from">;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const proxy = "127.0.0.3";

/**
 * The whole HTTP side, CalDAV included, over a workspace in which each of the things has an item, an edit and a feed;
 * and every requester. `file`: path of the database for separate processes; in memory without it.
 */
export async function attackedWorld({ file }: { readonly file?: string } = {}) {
  const clock = handClock("2026-11-21T09:00:00Z");
  const store = testStore(clock, ...(file === undefined ? [] : [file]));
  const { directory, mirror, journal } = store;
  const people = (suspended: readonly Name[]) =>
    Object.entries(ids).map(([name, id]) => ({
      ...aPerson(id, name),
      email: `${name}@example.com`,
      suspended: suspended.some((each) => each === name),
    }));
  directory.putPeople(people([]), true);
  const [ana, ben, dora] = [ids.ana, ids.ben, ids.dora].map(personId);
  directory.putProjects(
    [
      {
        ...aProject(2001, "Ours"),
        members: only(ana, dora, personId(ids.cleo), personId(ids.eve)),
      },
      { ...aProject(2002, "Otherproject"), members: only(ben) },
      { ...aProject(2003, "Shared"), members: only(ana, ben) },
    ],
    true,
  );
  const put = (thing: Thing, id: number, fields: Parameters<typeof anEvent>[1]) => {
    const [title = "", description = ""] = words[thing];
    mirror.put(anEvent(id, { title, description, ...fields }), "events:2001");
    const key = mirror.find("event", anEvent(id).id);
    if (key === null) throw new Error(`${thing} is not kept`);
    return key;
  };
  const items = {
    own: put("own", 1, {}),
    other: put("other", 2, { projectId: projectId(2002) }),
    private: put("private", 3, {
      projectId: projectId(2003),
      private: true,
      ...(ben === undefined ? {} : { creatorId: ben, assigned: [ben] }),
    }),
    gone: put("gone", 4, {}),
  };
  mirror.bury(items.gone);
  const edited = (thing: Thing, actor: PersonId | undefined) => {
    const base = mirror.get(items[thing])?.item;
    if (!base) throw new Error("nothing to edit");
    return journal.append({
      channel: "caldav",
      program: "Thunderbird/140",
      actor: actor ?? null,
      item: items[thing],
      action: "update",
      base,
      patch: { title: words[thing][2] ?? "" },
      newLabels: [],
      state: "pending",
    });
  };
  const edits = {
    own: edited("own", ana),
    other: edited("other", ben),
    // Ana's own, from a time when she could see the item.
    private: edited("private", ana),
    gone: 999,
  };

  const linkSigner = createLinkSigner(feedKey);
  const feeds = createPublishedFeeds({
    store,
    key: feedKey,
    options: feedOptions({ webUrl: null }),
    clock,
    links: { signer: linkSigner, address: "https://calendar.example.com" },
  });
  feeds.ensure();
  const feedOf = (project: number, person: PersonId | undefined) =>
    feeds.create({
      kind: "project",
      projectId: projectId(project),
      personId: person ?? null,
      filter: null,
      name: null,
      colour: null,
    });
  const made = {
    own: feedOf(2001, ana),
    other: feedOf(2002, ben),
    private: feedOf(2003, undefined),
    gone: feedOf(2001, ana),
  };
  feeds.revoke(made.gone.id);
  const outboxFolder = testDirectory();
  writeFileSync(
    join(outboxFolder, "1.eml"),
    "Subject: A mail\r\nContent-Type: text/html\r\n\r\n<p>Otherword</p>",
  );

  const passwords = createPasswords({ store, randomBytes });
  const whole = await everything(store, clock);
  const dav = createCaldavServer(
    davOptions({
      store,
      passwords,
      throttle: instantThrottle(clock).throttle,
      clock,
      publicUrl: () => "https://calendar.example.com",
      settings: {},
      lines: [],
    }),
  );
  const links = createActionLinks({
    store,
    signer: linkSigner,
    zone,
    clock,
    mode: "apply",
    private: "omit",
    onAccepted() {},
  });
  const face = await serveFace({
    store,
    clock,
    feeds,
    listed: [ids.ana, ids.ben, ids.dora].map((id) => ({
      id: personId(id),
      calendars: "write" as const,
      apiKey: id === ids.dora ? "refused-key" : null,
    })),
    ready: () => true,
    baseUrl: "https://calendar.example.com",
    identityHeader: {
      name: "remote-user",
      from: [proxy],
      admins: ["root@example.com"],
      logout: null,
    },
    more: {
      ...whole,
      ...(file === undefined ? {} : { reports: reportServer(reportsHere, { file, zone, clock }) }),
      caldav: dav,
      links,
      outbox: openOutbox({ directory: outboxFolder }),
      log: createLog({ level: "silent" }),
    },
  });
  const call = (request: string, sent: Sent) => ask({ port: face.port, request, ...sent });

  const given = Object.fromEntries(
    Object.entries(ids).map(([name, id]) => [name, face.passwords.issue(personId(id))]),
  );
  const login = async (fields: Readonly<Record<string, string>>) => {
    const answer = await call("POST /login", {
      role: { headers: {}, from: () => "127.0.0.1" },
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
      body: new URLSearchParams(fields).toString(),
    });
    const [cookie = ""] = (answer.headers["set-cookie"]?.[0] ?? "").split(";", 1);
    if (answer.status !== 303) throw new Error(`the log-in was answered ${answer.status}`);
    return cookie;
  };
  const cookieOf = (name: Name) =>
    login({ login: `${name}@example.com`, password: given[name] ?? "" });
  const cookies = {
    ana: await cookieOf("ana"),
    ben: await cookieOf("ben"),
    cleo: await cookieOf("cleo"),
    dora: await cookieOf("dora"),
    eve: await cookieOf("eve"),
    admin: await login({ token }),
  };
  // A request permitted before is refused now.
  directory.putPeople(people(["cleo"]), true);
  face.people.clearPassword(personId(ids.eve));

  let strangers = 0;
  /** Wrong secrets are slowed down by address; no two of these come from one. */
  const elsewhere = () => {
    strangers += 1;
    return `127.1.${strangers >> 8}.${strangers & 255}`;
  };
  const here = () => "127.0.0.1";
  const nobody = { page: "nobody", api: "nobody", dav: "nobody" } as const;
  type Doors = Pick<Role, "page" | "api" | "dav">;
  /** Who is recognised as whom; as nobody by default. */
  const role = (
    name: string,
    headers: Role["headers"],
    from: Role["from"],
    doors: Partial<Doors> = {},
  ): Omit<Role, "formToken"> => ({ name, headers, from, ...nobody, ...doors });
  const everywhere = (who: Role["page"]): Doors => ({ page: who, api: who, dav: who });
  const ownOf = (who: "ben" | "cleo" | "dora" | "eve") => ({
    cookie: cookies[who],
    authorization: basic(`${who}@example.com`, given[who] ?? ""),
  });
  const plain = [
    role("nobody", {}, here),
    role("a wrong session", { cookie: `dayferry-session=${"A".repeat(43)}` }, here),
    role("a wrong Bearer token", { authorization: "Bearer wrong" }, elsewhere),
    role("a wrong password", { authorization: basic("ana@example.com", "wrong") }, elsewhere),
    role(
      "the holder of a feed's secret",
      {
        authorization: `Bearer ${secretOf(made.own.path)}`,
        cookie: `dayferry-session=${secretOf(made.own.path)}`,
      },
      elsewhere,
    ),
    role("a suspended member", ownOf("cleo"), elsewhere),
    role("a member whose password was taken away", ownOf("eve"), elsewhere),
    role(
      "somebody who says what only the proxy may",
      { "remote-user": "root@example.com", "x-forwarded-for": proxy },
      here,
    ),
    role(
      "whom the proxy names and nobody knows",
      { "remote-user": "mallory@example.com" },
      () => proxy,
      { page: "stranger" },
    ),
    role("whom the proxy names a member", { "remote-user": "ana@example.com" }, () => proxy, {
      page: "ana",
    }),
    role("whom the proxy names the admin", { "remote-user": "root@example.com" }, () => proxy, {
      page: "admin",
    }),
    role("a member by session", { cookie: cookies.ana }, here, { page: "ana" }),
    role(
      "a member by password",
      { authorization: basic("ana@example.com", given["ana"] ?? "") },
      here,
      { api: "ana", dav: "ana" },
    ),
    role("a member elsewhere", ownOf("ben"), here, everywhere("ben")),
    role("a member of whom the service refuses the key", ownOf("dora"), here, everywhere("dora")),
    role("the admin by session", { cookie: cookies.admin }, here, { page: "admin" }),
    role("the admin by token", bearer, here, { api: "admin" }),
  ];
  const roles: Role[] = [];
  for (const role of plain) {
    const { text } =
      role.page === "nobody" || role.page === "stranger"
        ? { text: "" }
        : await call("GET /feeds", { role, headers: { accept: "text/html" } });
    const [, formToken = "none"] = /name="form" value="([^"]+)"/.exec(text) ?? [];
    roles.push({ ...role, formToken });
  }
  return {
    ...face,
    clock,
    store,
    feeds,
    call,
    roles,
    linkSigner,
    given,
    elsewhere,
    items,
    edits,
    feedsOf: made,
    role: (name: string): Role => {
      const found = roles.find((role) => role.name === name);
      if (!found) throw new Error(`nobody is ${name}`);
      return found;
    },
  };
}

export type AttackedWorld = Awaited<ReturnType<typeof attackedWorld>>;

export const secretOf = (path: string): string => path.split("/")[2] ?? "";

const only = <T>(...all: readonly (T | undefined)[]): readonly T[] =>
  all.filter((each) => each !== undefined);

/** Sends a request unchanged: it normalises no address, and adds nothing. It leaves a stream once it has begun. */
function ask({
  port,
  request,
  role,
  headers = {},
  body,
}: Sent & { readonly port: number; readonly request: string }): Promise<Answer> {
  const [method, path = "/"] = request.split(" ");
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        host: "127.0.0.1",
        port,
        method,
        path,
        localAddress: role.from(),
        headers: {
          ...role.headers,
          ...headers,
          ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
        },
      },
      (answer) => {
        const { statusCode: status = 0, headers: received } = answer;
        let text = "";
        if (received["content-type"] === "text/event-stream") {
          resolve({ status, headers: received, text });
          sent.destroy();
        }
        answer.on("data", (chunk: Buffer) => {
          text += chunk.toString("utf8");
        });
        answer.on("end", () => resolve({ status, headers: received, text }));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
