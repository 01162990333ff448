import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { labelId, listId, personId, projectId } from "../../src/domain/ids.ts";
import { sourceOf } from "../../src/domain/source.ts";
import { createPublishedFeeds } from "../../src/feeds/published-feeds.ts";
import { reportServer } from "../../src/reports/report-processes.ts";
import { feedKey } from "../feeds/rig.ts";
import { feedOptions } from "../support/feed-options.ts";
import {
  aLabel,
  anEvent,
  aPerson,
  aProject,
  aTask,
  aTodolist,
  days,
  zone,
} from "../support/items.ts";
import { reportsHere } from "../support/reports-here.ts";
import { handClock, testDirectory, testStore } from "../support/test-store.ts";
import { serveFace, token } from "./app-rig.ts";

const ana = personId(11);

/**
 * The pages over a database in a file: a project of Ana's with a milestone and 120 tasks, and one that she does not
 * see.
 */
async function reportPagesRig() {
  const clock = handClock("2026-11-21T23:30:00Z");
  const file = join(testDirectory(), "dayferry.sqlite");
  const store = testStore(clock, file);
  const { directory, mirror } = store;
  directory.putPeople(
    [
      { ...aPerson(11, "Ana"), email: "ana@example.com", timeZone: "America/New_York" },
      aPerson(12, "Bo"),
    ],
    true,
  );
  directory.putProjects(
    [
      { ...aProject(2001, "Website"), members: [ana] },
      { ...aProject(2002, "Takeover"), members: [personId(12)] },
    ],
    true,
  );
  directory.putLabels([aLabel(5, "Urgent")], true);
  directory.putTodolists(null, [aTodolist(3001)], true);
  const put = (item: Parameters<typeof mirror.put>[0]) => mirror.put(item, sourceOf(item));
  for (let id = 100; id < 220; id += 1) {
    const labels = id < 110 ? [labelId(5)] : [];
    put(aTask(id, { title: `Task ${id}`, listId: listId(3001), labels }));
  }
  const launch = (on: string) =>
    put(anEvent(1, { title: "Launch", milestone: true, when: days(on) }));
  launch("2026-11-10");
  launch("2026-12-01");
  put(
    anEvent(2, {
      title: "Deal",
      milestone: true,
      projectId: projectId(2002),
      when: days("2026-12-05"),
    }),
  );
  put(
    anEvent(3, {
      title: "Pay <talk>",
      private: true,
      creatorId: personId(12),
      when: days("2026-11-23"),
    }),
  );
  const { port, passwords } = await serveFace({
    store,
    clock,
    feeds: createPublishedFeeds({
      store,
      key: feedKey,
      options: feedOptions({ webUrl: null }),
      clock,
    }),
    listed: [{ id: ana, calendars: "write", apiKey: null }],
    ready: () => true,
    baseUrl: "https://calendar.example.com",
    more: { reports: reportServer(reportsHere, { file, zone, clock }) },
  });
  const url = `http://127.0.0.1:${port}`;
  const cookieFor = async (body: Readonly<Record<string, string>>) => {
    const answer = await fetch(`${url}/login`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams(body),
    });
    expect(answer.status).toBe(303);
    return answer.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  };
  const reader = (cookie: string) => async (path: string, language?: string) => {
    const headers = { cookie, accept: "text/html", "accept-language": language ?? "en" };
    const answer = await fetch(`${url}${path}`, { headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const password = passwords.issue(ana);
  return {
    url,
    password,
    admin: reader(await cookieFor({ token })),
    member: reader(await cookieFor({ login: "ana@example.com", password })),
  };
}

describe("the pages of reports", () => {
  it("are listed by the question they answer", async () => {
    const { admin } = await reportPagesRig();
    const { text } = await admin("/reports");
    expect(text).toContain('href="./reports/milestones"');
    expect(text).toContain("Is each milestone on time, and has its date moved?");
    expect([...text.matchAll(/class="title" href/g)]).toHaveLength(12);
  });

  it("show a milestone's dates, how it moved, and today, as a picture and as a table", async () => {
    const { admin } = await reportPagesRig();
    const { text } = await admin("/reports/milestones");
    expect(text).toContain("Launch: 2026-11-10 → 2026-12-01, in 9 days, moved 21 days later");
    expect(text).toContain("Today, 2026-11-22");
    expect(text).toContain("2026-11-10 → 2026-12-01 (2026-11-22)");
    expect(text).toContain("Deal");
    expect(text).not.toMatch(/\sstyle=|<style|<script(?! type="module" src)/);
  });

  it("show names instead of program numbers, and label cells in narrow layouts", async () => {
    const { admin } = await reportPagesRig();
    const { text } = await admin("/reports/items");
    expect(text).not.toMatch(/<th scope="col"[^>]*>(?:Id|UID|Project id|List id)</);
    expect(text).toMatch(
      /data-label="Title"><a href="\.\.\/calendar\/items\/\d+"><bdi>Task 100<\/bdi><\/a>/,
    );
    const changes = await admin("/reports/changes");
    expect(changes.text).toContain("When: Tue 10 Nov 2026 (all day) → Tue 1 Dec 2026 (all day)");
    expect(changes.text).not.toContain("{&quot;");
    const csv = await admin("/reports/items/download?format=csv");
    expect(csv.text).toMatch(/Id,UID/i);
    // It begins with a byte order mark, which fetch removes.
    expect(Number(csv.headers.get("content-length"))).toBe(Buffer.byteLength(csv.text) + 3);
  });

  it("show a person only what they may see, in their time zone", async () => {
    const { admin, member } = await reportPagesRig();
    const asAdmin = await admin("/reports/milestones");
    const asMember = await member("/reports/milestones");
    expect(asAdmin.text).toContain("Takeover");
    expect(asMember.text).toContain("Launch");
    expect(asMember.text).not.toMatch(/Takeover|Deal/);
    expect(asMember.text).toContain("Today, 2026-11-21");
    expect((await member("/reports/agenda")).text).not.toContain("Pay");
    expect((await admin("/reports/agenda")).text).toContain("Pay &lt;talk&gt;");
    const hidden = await member("/reports/agenda?project=2002");
    expect(hidden.status).toBe(400);
    expect(hidden.text).not.toContain("Takeover");
  });

  it("fold after 20 rows, and page longer results with their filters", async () => {
    const { admin } = await reportPagesRig();
    const first = await admin("/reports/items?project=Website&person=&limit=");
    expect(first.text).toContain("1–50 of 122 rows");
    expect(first.text).toContain("30 more rows");
    expect(first.text).toContain("../reports/items?project=Website&amp;page=2#rows");
    expect(first.text).toContain('<option value="2001" selected>');
    const last = await admin("/reports/items?project=Website&page=99");
    expect(last.text).toContain("101–122 of 122 rows");
    expect(last.text).not.toContain(">Next<");
    expect((await admin("/reports/items?label=Urgent")).text).toContain("10 rows");
  });

  it("say what is wrong with the input, and keep it", async () => {
    const { admin } = await reportPagesRig();
    const { status, text } = await admin("/reports/agenda?from=2026-13-01&project=Nothing");
    expect(status).toBe(400);
    expect(text).toContain("from &quot;2026-13-01&quot;: it must be a date");
    expect(text).toContain('value="Nothing" selected');
    expect(await admin("/reports/agenda?limit=0")).toMatchObject({ status: 400 });
    expect(await admin("/reports/nothing")).toMatchObject({ status: 404 });
  });

  it("offer the report in each format, with the same filters", async () => {
    const { admin, member } = await reportPagesRig();
    const page = await member("/reports/items?label=5");
    const links = [...page.text.matchAll(/href="\.\.(\/reports\/items\/download\?[^"]+)"/g)];
    expect(links).toHaveLength(5);
    for (const [, link = ""] of links) {
      const { status, headers, text } = await member(link.replaceAll("&amp;", "&"));
      expect([link, status]).toEqual([link, 200]);
      expect(headers.get("content-disposition")).toMatch(
        /^attachment; filename="items-2026-11-21\./,
      );
      expect(text).toContain("Task 100");
      expect(text).not.toContain("Task 110");
    }
    const download = "/reports/items/download?format=csv";
    expect((await member(download)).text).not.toMatch(/Deal|Pay/);
    expect((await admin(download)).text).toMatch(/Deal[\s\S]*Pay/);
    expect(await admin("/reports/items/download?format=pdf")).toMatchObject({ status: 400 });
  });

  it("use the reader's language, also in downloads for people; downloads for programs are in English", async () => {
    const { admin, url } = await reportPagesRig();
    expect((await admin("/reports", "de")).text).toContain("Ist jeder Meilenstein im Plan");
    const milestones = await admin("/reports/milestones", "de");
    expect(milestones.text).toContain("in 9 Tagen, um 21 Tage nach hinten verschoben");
    expect(milestones.text).toMatch(/<td[^>]*data-label="Status"[^>]*><bdi>bevorstehend<\/bdi>/);
    expect((await admin("/reports/changes", "de")).text).toMatch(/Wann: [^→]+ → Di/);
    const download = (format: string) => admin(`/reports/overdue/download?format=${format}`, "de");
    expect((await download("html")).text).toContain('<html lang="de">');
    expect((await download("md")).text).toContain("Offene Aufgaben");
    expect(JSON.parse((await download("json")).text)).toMatchObject({
      title: "Overdue",
      columns: expect.arrayContaining([{ key: "due_on", title: "Due", type: "date" }]),
    });
    const api = await fetch(`${url}/api/reports/overdue?format=md`, {
      headers: { authorization: `Bearer ${token}`, "accept-language": "de" },
    });
    expect(await api.text()).toContain("Open tasks");
  });

  it("are tools of a person's agent, as JSON and as text", async () => {
    const { url, password } = await reportPagesRig();
    const authorization = `Basic ${Buffer.from(`ana@example.com:${password}`).toString("base64")}`;
    const agent = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization } };
    await agent.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    onTestFinished(() => agent.close());
    const ask = (given: object) =>
      agent.callTool({ name: "reports_show", arguments: { name: "items", label: "5", ...given } });
    const api = await fetch(`${url}/api/reports/items?label=5`, requestInit);
    expect((await ask({})).structuredContent).toEqual(await api.json());
    const csv = await ask({ format: "csv" });
    expect(csv.structuredContent).toBeUndefined();
    expect(JSON.stringify(csv.content)).toContain("Task 100");
    const wrong = await ask({ colour: "red" });
    expect([wrong.isError, JSON.stringify(wrong.content)]).toEqual([
      true,
      expect.stringContaining("is not a parameter"),
    ]);
    const { structuredContent } = await agent.callTool({ name: "reports_list" });
    expect(structuredContent).toHaveProperty("result.0.name");
  });

  it("give a person's program the same through the API", async () => {
    const { url, password } = await reportPagesRig();
    const authorization = `Basic ${Buffer.from(`ana@example.com:${password}`).toString("base64")}`;
    const answer = await fetch(`${url}/api/items`, { headers: { authorization } });
    const text = await answer.text();
    expect(text).toContain("Launch");
    expect(text).not.toMatch(/Deal|Pay/);
  });
});
