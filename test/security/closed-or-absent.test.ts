import { expect, it } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import { ana, basic, startApp } from "../http/people-rig.ts";
import { aProject } from "../support/items.ts";

// A project closed to Ana and a missing one get the same answers, whatever names them.

/** Requests of Ana's that name a project by number or by title. */
const asked: readonly (readonly [request: string, body: string | null])[] = [
  ["POST /api/feeds", `{"kind":"project","projectId":NUMBER}`],
  ["POST /api/feeds", `{"kind":"person","filter":{"projects":[NUMBER]}}`],
  ["POST /api/feeds", `{"kind":"person","filter":{"projects":[2001,NUMBER]}}`],
  ["PATCH /api/feeds/FEED", `{"filter":{"projects":[NUMBER]}}`],
  ["POST /api/edits?project=NUMBER&dryRun=true", ""],
  ["GET /api/edits?project=NUMBER", null],
  ["GET /api/edits?project=TITLE", null],
  ["GET /edits?project=NUMBER", null],
  ["GET /edits?project=TITLE", null],
  ["GET /calendar?project=NUMBER", null],
  ["GET /calendar/events?project=NUMBER&from=2026-11-01&to=2026-12-01", null],
];

/** Ana's browser, whose requests also carry her password: pages need the one, the API the other. */
async function doorsOf({
  call,
  passwords,
}: Pick<Awaited<ReturnType<typeof startApp>>, "call" | "passwords">) {
  const password = passwords.issue(ana);
  const entered = await call("POST /login", {
    headers: { accept: "text/html", "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ login: "11", password }).toString(),
  });
  const cookie = (entered.headers.get("set-cookie") ?? "").split(";", 1).join("");
  return { cookie, authorization: basic("11", password) };
}

it.each(asked)("%s with %s", async (request, body) => {
  const { call, feeds, passwords, store, clock } = await startApp();
  const feed = feeds.create({
    ...{ kind: "person", projectId: null, personId: ana, filter: null, name: null, colour: null },
  } as const);
  const base = store.view.ofProject(projectId(2002))[0];
  if (!base) throw new Error("the closed project has no item");
  // Her edit from when she saw the project must not tell it from a missing one.
  store.journal.append({
    ...{ channel: "upload", actor: ana, item: base.key, action: "update", base: base.item },
    ...{ patch: { title: "Mine" }, newLabels: [], state: "pending" },
  } as const);
  const headers = await doorsOf({ call, passwords });
  const ask = async (number: number, title: string) => {
    const fill = (text: string) =>
      text
        .replaceAll("NUMBER", String(number))
        .replaceAll("TITLE", title)
        .replaceAll("FEED", String(feed.id));
    const { status, text } = await call(fill(request), {
      headers: {
        ...headers,
        ...(body?.startsWith("{") && { "content-type": "application/json" }),
      },
      ...(body !== null && { body: fill(body) }),
    });
    clock.advance({ seconds: 1 });
    const bare = text.replaceAll(String(number), "NUMBER").replaceAll(title, "TITLE");
    return { status, text: bare.replaceAll(/name="form" value="[^"]+"/g, "") };
  };
  const closed = await ask(2002, "Fair");
  expect(closed).toEqual(await ask(2009, "Nope"));
  expect(closed.status).not.toBe(303);
  expect(closed.text).not.toContain("Secret");
});

it("a feed made before its project was closed no longer names it, also after a rename", async () => {
  const { call, feeds, passwords, store } = await startApp();
  const own = { personId: ana, name: null, colour: null } as const;
  feeds.create({ ...own, kind: "project", projectId: projectId(2001), filter: null });
  feeds.create({
    ...{ ...own, kind: "person", projectId: null },
    filter: { projects: [projectId(2001)] },
  });
  store.directory.putProjects(
    [
      { ...aProject(2001, "Takeover"), members: [] },
      { ...aProject(2002, "Fair"), members: [ana] },
    ].map((project) => ({ ...project, archived: project.id === 2001 })),
    true,
  );
  feeds.ensure();
  const headers = await doorsOf({ call, passwords });
  const pages = ["/api/feeds", "/feeds", "/feeds/1", "/feeds/2"];
  const told = await Promise.all(pages.map(async (path) => call(`GET ${path}`, { headers })));
  expect(told[0]?.text).toContain("project 2001");
  expect(told.map(({ text }) => text).join("\n")).not.toContain("Takeover");
});
