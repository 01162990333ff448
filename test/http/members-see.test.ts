import { expect, it } from "vitest";
import type { EditState } from "../../src/domain/edit.ts";
import type { FeedId, PersonId } from "../../src/domain/ids.ts";
import { projectId } from "../../src/domain/ids.ts";
import { anEvent } from "../support/items.ts";
import { ana, basic, bearer, ben, startApp, token } from "./people-rig.ts";

/** Ana, Ben and the admin, each by a browser and by a program. */
async function everybody() {
  const rig = await startApp();
  const { call, passwords, store } = rig;
  async function enter(fields: Readonly<Record<string, string>>) {
    const { headers } = await call("POST /login", {
      headers: { accept: "text/html", "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
    });
    return { cookie: (headers.get("set-cookie") ?? "").split(";", 1).join("") };
  }
  async function doors(person: PersonId) {
    const password = passwords.issue(person);
    const browser = await enter({ login: String(person), password });
    return { browser, Basic: { authorization: basic(String(person), password) } };
  }
  const who = {
    ana: await doors(ana),
    ben: await doors(ben),
    admin: { browser: await enter({ token }), Basic: bearer.headers },
  };
  /** What somebody sees in one of these ways. */
  const get = (headers: Readonly<Record<string, string>>, path: string, accept = "text/html") =>
    call(`GET ${path}`, { headers: { ...headers, accept } });
  const json = async (headers: Readonly<Record<string, string>>, path: string): Promise<object> =>
    Object(JSON.parse((await get(headers, path, "application/json")).text));

  // An event of the project that both see, so that only the owner of the edit decides.
  for (const id of [21, 22]) {
    store.mirror.put(anEvent(id, { title: `Shared ${id}` }), "events:2001");
  }
  const website = store.directory.project(projectId(2001));
  if (website) store.directory.putProjects([{ ...website, members: [ana, ben] }], false);
  function wish(title: string, { actor, state }: { actor: PersonId; state: EditState }) {
    const nth = actor === ana ? 21 : 22;
    const item = store.mirror.findUid(`event-${nth}@${store.meta.installation}`)?.item;
    const base = item && store.view.get(item)?.item;
    if (!item || !base || (state !== "pending" && state !== "held")) throw new Error("no event");
    const edit = { channel: "caldav", action: "update", newLabels: [], patch: { title } } as const;
    return store.journal.append({ ...edit, actor, item, base, state });
  }
  return { ...rig, who, get, json, wish };
}

it("each person sees only their own edits, everywhere and in counts; the admin sees all", async () => {
  const { who, get, json, wish } = await everybody();
  const mine = [
    wish("Ana waits", { actor: ana, state: "held" }),
    wish("Ana on the way", { actor: ana, state: "pending" }),
  ];
  const others = [
    wish("Ben waits one", { actor: ben, state: "held" }),
    wish("Ben waits two", { actor: ben, state: "held" }),
    wish("Ben on the way", { actor: ben, state: "pending" }),
  ];
  const sees = async (name: keyof typeof who) => {
    const { browser, Basic } = who[name];
    const [today, list] = [await get(browser, "/"), await get(browser, "/edits")];
    const told = (text: string) => ["Ana waits", "Ben waits one"].map((it) => text.includes(it));
    const { edits = [] }: { edits?: readonly unknown[] } = await json(Basic, "/api/edits");
    const statuses = await Promise.all(
      [...mine, ...others].map(async (id) => (await get(browser, `/edits/${id}`)).status),
    );
    const apis = await Promise.all(
      [...mine, ...others].map(async (id) => (await get(Basic, `/api/edits/${id}`)).status),
    );
    expect(apis).toEqual(statuses);
    const counted = /<p>([^<]*(?:needs?|way)[^<]*)<\/p>/.exec(today.text)?.[1];
    return {
      today: told(today.text),
      list: told(list.text),
      counted,
      edits: edits.length,
      open: statuses.filter((status) => status === 200).length,
    };
  };
  expect(await sees("ana")).toEqual({
    today: [true, false],
    list: [true, false],
    counted: "1 pending edit, 1 edit needs a decision.",
    edits: 2,
    open: 2,
  });
  expect(await sees("ben")).toEqual({
    today: [false, true],
    list: [false, true],
    counted: "1 pending edit, 2 edits need a decision.",
    edits: 3,
    open: 3,
  });
  expect(await sees("admin")).toEqual({
    today: [true, true],
    list: [true, true],
    counted: "2 pending edits, 3 edits need a decision.",
    edits: 5,
    open: 5,
  });
});

it("each person lists and opens only their own feeds, everywhere; the admin all", async () => {
  const { who, get, json, feeds } = await everybody();
  const make = (name: string, person: PersonId | null): FeedId =>
    feeds.create({
      ...{ name, colour: null, filter: null },
      ...(person === null
        ? { kind: "project", projectId: projectId(2001), personId: null }
        : { kind: "person", projectId: null, personId: person }),
    }).id;
  const ids = {
    own: make("Of Ana", ana),
    gone: make("Ana had it", ana),
    other: make("Of Ben", ben),
    project: make("Of the website", null),
  };
  feeds.revoke(ids.gone);
  const names = ["Of Ana", "Ana had it", "Of Ben", "Of the website"];
  const opened = async (headers: Readonly<Record<string, string>>) => {
    const all = Object.values(ids).map(async (id) => (await get(headers, `/feeds/${id}`)).status);
    return Promise.all(all);
  };
  const seen = async (name: keyof typeof who) => {
    const { browser } = who[name];
    const page = (await get(browser, "/feeds")).text;
    const onPage = names.filter((it) => page.includes(`>${it}<`));
    const { feeds: told = [] }: { feeds?: readonly { name: string; revokedAt: unknown }[] } =
      await json(who[name].Basic, "/api/feeds");
    const open = told.filter(({ revokedAt }) => revokedAt === null);
    expect(names.filter((it) => open.some((feed) => feed.name === it))).toEqual(onPage);
    return { onPage, opened: await opened(browser) };
  };
  expect(await seen("ana")).toEqual({ onPage: ["Of Ana"], opened: [200, 404, 404, 404] });
  expect(await seen("ben")).toEqual({ onPage: ["Of Ben"], opened: [404, 404, 200, 404] });
  expect(await seen("admin")).toEqual({
    onPage: ["Of Ana", "Of Ben", "Of the website"],
    opened: [200, 404, 200, 200],
  });
});
