import decodeQr from "qr/decode.js";
import { describe, expect, it } from "vitest";
import { feedId } from "../../src/domain/ids.ts";
import { subscribeLinks } from "../../src/http/pages/subscribe-links.ts";
import { browserOf, pixelsOf } from "./page-browser.ts";
import { ana, ben } from "./people-rig.ts";

const personal = [
  ["of", "person:11"],
  ["kinds", "task"],
  ["kinds", "event"],
  ["completed", "none"],
  ["colour", "#1B8E5A"],
  ["reminders", "on"],
] as const;

describe("/feeds", () => {
  it("creates a feed from the form, and shows it", async () => {
    const { post, get, feeds } = await browserOf("ana");
    const made = await post("/feeds", personal);
    expect(made.status).toBe(303);
    expect(made.headers.get("location")).toBe("./feeds/3");
    expect(feeds.get(feedId(3))).toMatchObject({
      kind: "person",
      personId: 11,
      filter: { kinds: ["task", "event"], completed: "none" },
      colour: "#1B8E5A",
    });
    const { text } = await get("/feeds/3");
    expect(text).toContain(
      "tasks and events of all projects that Ana &lt;b&gt; may see, assigned to Ana &lt;b&gt;, without completed items",
    );
    expect(text).toContain("webcal://calendar.example.com/base/feeds/");
    expect((await get("/feeds")).text).toContain('href="feeds/3"');
  });

  it("says what is wrong, and keeps the input", async () => {
    const { post } = await browserOf("admin");
    const answer = await post("/feeds", [
      ["of", "all"],
      ["kinds", "event"],
      ["name", "x".repeat(201)],
      ["labels", "99"],
    ]);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("one line of 1 to 200 characters");
    expect(answer.text).toContain("there is no label 99");
    expect(answer.text).toContain('id="kinds-event" name="kinds" value="event" checked');
    expect(answer.text).not.toContain('id="kinds-task" name="kinds" value="task" checked');
  });

  it("previews what a feed contains, counts before one is created, and has presets", async () => {
    const { get, post } = await browserOf("ana");
    const milestones = [
      ["of", "project:2001"],
      ["kinds", "milestone"],
    ] as const;
    expect((await post("/feeds", milestones)).status).toBe(303);
    const { text } = await get("/feeds/3?show=content");
    expect(text).toContain("<h2>Shown: 0 items</h2>");
    expect(text).toContain("The feed shows no events.");
    expect(text).toMatch(/href="..\/calendar\/items\/\d+"><bdi>Review</);
    const count = await post("/feeds/count", [
      ["of", "project:2001"],
      ["kinds", "event"],
    ]);
    expect(JSON.parse(count.text)).toEqual({ shown: 1, isCut: false });
    const unknown = await post("/feeds/count", [["of", "project:99"]]);
    expect(JSON.parse(unknown.text)).toEqual({ shown: null });
    const page = (await get("/feeds")).text;
    for (const preset of ["My tasks", "Everything of Website", "Milestones of my projects"]) {
      expect(page).toContain(`<button>${preset}</button>`);
    }
    expect((await get("/feeds/99?show=content")).status).toBe(404);
  });

  it("rotates, renames, recolors and ends a feed", async () => {
    const { post, get, feeds } = await browserOf("admin");
    const before = feeds.get(feedId(1));
    await post("/feeds/1", [
      ["do", "rotate"],
      ["confirmed", "yes"],
    ]);
    expect(feeds.get(feedId(1))?.path).not.toBe(before?.path);
    await post("/feeds/1", [
      ["do", "change"],
      ["name", "Relaunch"],
      ["colour", "none"],
    ]);
    expect(feeds.get(feedId(1))).toMatchObject({ name: "Relaunch", colour: null });
    await post("/feeds/1", [
      ["do", "change"],
      ["name", ""],
      ["colour", "project"],
    ]);
    expect(feeds.get(feedId(1))).toMatchObject({ name: "Website", colour: "project" });
    for (const nothing of [[], [["do", "whatever"] as const]])
      expect((await post("/feeds/1", nothing)).status).toBe(400);
    const ended = await post("/feeds/1", [
      ["do", "revoke"],
      ["confirmed", "yes"],
    ]);
    expect(ended.headers.get("location")).toBe("../feeds?ended=1");
    expect((await get("/feeds/1")).status).toBe(404);
  });

  it("shows a feed's filter, and changes it under the same address", async () => {
    const { post, get, feeds } = await browserOf("admin");
    const { id, path } = feeds.create({
      kind: "all",
      personId: null,
      projectId: null,
      filter: { kinds: ["task"], assigned: [ben, ana], completed: "P14D", reminders: false },
      name: "Of two",
      colour: null,
    });
    const { text } = await get(`/feeds/${id}`);
    expect(text).toContain('name="kinds" value="task" checked');
    expect(text).not.toContain('name="kinds" value="event" checked');
    expect(text).toContain('<option value="12,11" selected>As it is: Ana &lt;b&gt; and Ben');
    expect(text).toContain('<option value="P14D" selected>As it is: Keep for 14 days');
    expect(text).not.toContain('id="reminders" name="reminders" value="on" checked');
    const kept = [
      ["do", "choose"],
      ["assigned", "12,11"],
      ["completed", "P14D"],
      ["kinds", "milestone"],
      ["kinds", "event"],
    ] as const;
    expect((await post(`/feeds/${id}`, kept)).headers.get("location")).toBe(`../feeds/${id}`);
    expect(feeds.get(id)).toMatchObject({
      name: "Of two",
      path,
      filter: {
        kinds: ["milestone", "event"],
        assigned: [ben, ana],
        completed: "P14D",
        reminders: false,
      },
    });
    const nothing = await post(`/feeds/${id}`, [["do", "choose"]]);
    expect(nothing.status).toBe(400);
    expect(nothing.text).toContain("What it shows: a list with at least one entry");
    const everything = ["event", "milestone", "task", "subtask"].map(
      (kind) => ["kinds", kind] as const,
    );
    await post(`/feeds/${id}`, [["do", "choose"], ["reminders", "on"], ...everything]);
    expect(feeds.get(id)?.filter).toBeNull();
  });

  it("never filters a project's automatic feed", async () => {
    const { post, get, feeds } = await browserOf("admin");
    expect((await get("/feeds/1")).text).toContain("The whole project.");
    expect((await post("/feeds/1", [["do", "choose"]])).status).toBe(400);
    expect(feeds.get(feedId(1))?.filter).toBeNull();
  });

  it("pages many feeds, and finds one by its name or contents", async () => {
    const { get, feeds } = await browserOf("admin");
    const wish = { kind: "person", projectId: null, filter: null, colour: null } as const;
    for (let nth = 0; nth < 60; nth++)
      feeds.create({ ...wish, personId: nth === 59 ? ben : ana, name: `Number ${nth} & more` });
    const names = (text: string) => text.match(/(?<=<bdi>)Number \d+ &amp; more/g) ?? [];
    const first = await get("/feeds");
    expect(names(first.text).length).toBeLessThan(26);
    expect(first.text).toContain("1 to 25 of 62");
    expect(first.text).toContain('href="feeds?from=25"');
    const last = await get("/feeds?from=50");
    expect(last.text).toContain("51 to 62 of 62");
    expect(last.text).toContain('href="feeds?from=25"');
    expect(last.text).not.toContain("More feeds");
    expect(names((await get("/feeds?find=NUMBER+7")).text)).toEqual(["Number 7 &amp; more"]);
    expect(names((await get("/feeds?find=assigned+to+ben")).text)).toEqual([
      "Number 59 &amp; more",
    ]);
    expect((await get("/feeds?find=assigned+to+ana")).text).toContain(
      'href="feeds?find=assigned+to+ana&amp;from=25"',
    );
    expect((await get("/feeds?find=%3Cnothing%3E")).text).toContain("No matching feeds");
    for (const odd of ["from=-1", "from=9999", "from=x", "from=1&from=2", "find=a&find=b"])
      expect((await get(`/feeds?${odd}`)).status, odd).toBe(200);
  });

  it("shows who fetches a feed, and what is broken", async () => {
    const { call, get, feeds } = await browserOf("admin");
    await call(`GET ${feeds.get(feedId(1))?.path}`, {
      headers: { "user-agent": "Google-Calendar-Importer" },
    });
    const { text } = await get("/feeds/1");
    expect(text).toContain("Google · fetched once · last 0 s ago · up to date");
    expect(text).toContain("Google fetches it: they get nothing new from then on");
  });

  it("belongs to one person: feeds of others and forms without a session have no effect", async () => {
    const { get, post, feeds, call } = await browserOf("ana");
    const other = feeds.create({
      kind: "person",
      personId: ben,
      projectId: null,
      filter: null,
      name: "Of Ben",
      colour: null,
    });
    expect((await get("/feeds")).text).not.toContain("Of Ben");
    expect((await get(`/feeds/${other.id}`)).status).toBe(404);
    expect((await get("/feeds/1")).status).toBe(404);
    expect((await post(`/feeds/${other.id}`, [["do", "revoke"]])).status).toBe(404);
    expect(
      (
        await post("/feeds", [
          ["of", "all"],
          ["kinds", "event"],
        ])
      ).status,
    ).toBe(400);
    expect(
      (
        await post("/feeds", [
          ["of", "person:12"],
          ["kinds", "event"],
        ])
      ).status,
    ).toBe(400);
    expect((await call("GET /feeds", { headers: { accept: "text/html" } })).status).not.toBe(200);
    expect(feeds.get(other.id)?.revokedAt).toBeNull();
  });

  it("shows a QR code with the address", async () => {
    const { get, feeds } = await browserOf("admin");
    const { text } = await get("/feeds/1");
    const read = decodeQr(pixelsOf(text));
    expect(read).toBe(`https://calendar.example.com/base${feeds.get(feedId(1))?.path}`);
  });
});

it("each program gets its own way to subscribe, with the full address", () => {
  const url = "https://calendar.example.com/feeds/abc/my-feed.ics";
  const links = subscribeLinks(url, "Ana & Ben").map(({ href }) => new URL(href));
  expect(links.map(({ protocol, host, pathname }) => `${protocol}//${host}${pathname}`)).toEqual([
    "webcal://calendar.example.com/feeds/abc/my-feed.ics",
    "https://calendar.google.com/calendar/r",
    "https://outlook.live.com/calendar/0/addfromweb",
    "https://outlook.office.com/calendar/0/addfromweb",
  ]);
  expect(links[1]?.searchParams.get("cid")).toBe(
    "webcal://calendar.example.com/feeds/abc/my-feed.ics",
  );
  for (const link of links.slice(2)) {
    expect([link.searchParams.get("url"), link.searchParams.get("name")]).toEqual([
      url,
      "Ana & Ben",
    ]);
  }
});
