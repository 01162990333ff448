import { describe, expect, it } from "vitest";
import {
  preconditionsOf,
  readMultistatus,
} from "../../../packages/caldav-server/test/multistatus.ts";
import { serviceId } from "../../../src/domain/ids.ts";
import { startDav } from "../../support/dav-server.ts";
import { anEvent } from "../../support/items.ts";

const events = "/dav/calendars/11/events-2001/";

interface Asked {
  readonly token?: string;
  readonly level?: string;
  readonly more?: string;
  readonly props?: string;
}

const sync = ({
  token = "",
  level = "<d:sync-level>1</d:sync-level>",
  more = "",
  props = "<d:getetag/>",
}: Asked = {}) =>
  `<d:sync-collection xmlns:d="DAV:"><d:sync-token>${token.replaceAll("&", "&amp;")}</d:sync-token>${level}${more}<d:prop>${props}</d:prop></d:sync-collection>`;

async function filled(count = 3) {
  const dav = await startDav();
  const put = (id: number, title?: string) =>
    dav.store.mirror.put(anEvent(id, title === undefined ? {} : { title }), "events:2001");
  for (let id = 1; id <= count; id++) put(id);
  const bury = (id: number) => {
    const key = dav.store.mirror.find("event", serviceId(id));
    if (key) dav.store.mirror.bury(key);
  };
  const ask = async (asked: Asked = {}, headers: Record<string, string> = { depth: "0" }) => {
    const answer = await dav.call(`REPORT ${events}`, { headers, body: sync(asked) });
    expect(answer.status, answer.text).toBe(207);
    const { responses, token } = readMultistatus(answer.text);
    const named = responses.map(({ href, status }) => [
      href.split("/").at(-1)?.split("%40")[0],
      status,
    ]);
    return { responses, token: token ?? "", named };
  };
  return { ...dav, put, bury, ask };
}

describe("sync-collection", () => {
  it("lists everything for an empty token, without deleted members", async () => {
    const { ask, bury } = await filled();
    bury(2);
    const { named, token, responses } = await ask();
    expect(named).toEqual([
      ["event-1", null],
      ["event-3", null],
    ]);
    expect(token).toMatch(/^urn:dayferry:sync:/);
    expect(responses[0]?.props["{DAV:}getetag"]).toMatch(/^"[^"]+"$/);
  });

  it("lists what was changed, added and deleted since a token", async () => {
    const { ask, put, bury } = await filled();
    const { token } = await ask();
    expect((await ask({ token })).named).toEqual([]);
    put(1, "Renamed");
    put(4);
    bury(2);
    const second = await ask({ token });
    expect(new Set(second.named)).toEqual(
      new Set([
        ["event-1", null],
        ["event-2", 404],
        ["event-4", null],
      ]),
    );
    expect((await ask({ token: second.token })).named).toEqual([]);
  });

  it("matches the sync-token property", async () => {
    const { ask, call } = await filled();
    const { token } = await ask();
    const body = `<d:propfind xmlns:d="DAV:"><d:prop><d:sync-token/></d:prop></d:propfind>`;
    const answer = await call(`PROPFIND ${events}`, { headers: { depth: "0" }, body });
    expect(readMultistatus(answer.text).responses[0]?.props["{DAV:}sync-token"]).toBe(token);
  });

  it("reports if a limit has truncated it, and continues with its token", async () => {
    const { ask } = await filled(5);
    const more = "<d:limit><d:nresults>2</d:nresults></d:limit>";
    const seen: unknown[] = [];
    let token = "";
    for (let turn = 0; turn < 3; turn++) {
      const page = await ask({ token, more });
      const own = page.responses.find(({ href }) => href === events);
      expect(own?.status ?? null).toBe(turn < 2 ? 507 : null);
      if (own) expect(own.errors).toContain("number-of-matches-within-limits");
      seen.push(...page.named.filter(([name]) => name !== ""));
      token = page.token;
    }
    expect(new Set(seen)).toEqual(new Set([1, 2, 3, 4, 5].map((id) => [`event-${id}`, null])));
    expect((await ask({ token })).named).toEqual([]);
  });

  it("writes a propstat even if no property is requested", async () => {
    const { call } = await filled(1);
    const { text } = await call(`REPORT ${events}`, {
      headers: { depth: "0" },
      body: sync({ props: "" }),
    });
    expect(text).toContain(
      "<d:propstat><d:prop/><d:status>HTTP/1.1 200 OK</d:status></d:propstat>",
    );
  });

  it.each([
    ["a Depth of 1 beside the level", {}, { depth: "1" }],
    [
      "the level infinite, as there are no collections inside",
      { level: "<d:sync-level>infinite</d:sync-level>" },
      {},
    ],
    ["no level but a Depth", { level: "" }, { depth: "1" }],
    ["neither", { level: "" }, {}],
  ])("accepts %s", async (_what, asked, headers) => {
    const { ask } = await filled();
    expect((await ask(asked, headers)).named).toHaveLength(3);
  });

  it.each([
    ["of nobody", "http://example.com/ns/sync/1"],
    ["that is a number", "0"],
    ["of another server", "urn:dayferry:sync:x:1:2"],
    ["cut short", ""],
  ])("refuses a token %s with valid-sync-token", async (_what, given) => {
    const { ask, call } = await filled();
    const token = given === "" ? (await ask()).token.slice(0, -2) : given;
    const answer = await call(`REPORT ${events}`, {
      headers: { depth: "0" },
      body: sync({ token }),
    });
    expect(answer.status).toBe(403);
    expect(preconditionsOf(answer.text)).toEqual(["valid-sync-token"]);
  });

  it.each([
    ["no sync-token", sync().replace(/<d:sync-token>.*<\/d:sync-token>/, ""), 400, []],
    ["no prop", sync().replace(/<d:prop>.*<\/d:prop>/, ""), 400, []],
    ["an invalid level", sync({ level: "<d:sync-level>2</d:sync-level>" }), 400, []],
    [
      "an invalid limit",
      sync({ more: "<d:limit><d:nresults>some</d:nresults></d:limit>" }),
      400,
      [],
    ],
    [
      "a limit of nothing",
      sync({ more: "<d:limit><d:nresults>0</d:nresults></d:limit>" }),
      507,
      ["number-of-matches-within-limits"],
    ],
  ])("is refused with %s", async (_what, body, status, preconditions) => {
    const { call } = await filled();
    const answer = await call(`REPORT ${events}`, { headers: { depth: "0" }, body });
    expect(answer.status).toBe(status);
    expect(preconditionsOf(answer.text)).toEqual(preconditions);
  });
});
