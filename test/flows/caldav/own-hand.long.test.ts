import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ClientSetting, clientSetting, icsDay } from "../../clients/setting.ts";
import { eventually, letPass } from "../../support/eventually.ts";

/** Few enough deletions by each channel that none of them waits for approval. */
const uids = 8;

/** Numbers from 0 up to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe("one person who makes, changes and deletes items of the same UIDs within seconds", () => {
  let setting: ClientSetting;
  beforeAll(async () => {
    setting = await clientSetting();
  });
  afterAll(() => setting?.close());

  const object = (n: number, title: string, ...lines: readonly string[]) =>
    [
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//Tests//EN",
      ...lines,
      "BEGIN:VEVENT",
      `UID:own-${n}@example.com`,
      "DTSTAMP:20260101T000000Z",
      `SUMMARY:${title}`,
      `DTSTART;VALUE=DATE:${icsDay(title.endsWith("A") ? 3 : 4)}`,
      "END:VEVENT",
      "END:VCALENDAR",
      "",
    ].join("\r\n");

  async function ask(method: string, url: string, more: Record<string, string>, body?: string) {
    const headers = {
      authorization: `Basic ${btoa(`${setting.login}:${setting.password}`)}`,
      "content-type": "text/calendar",
      ...more,
    };
    const answer = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
    const text = await answer.text();
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
    return answer.headers.get("etag");
  }

  async function live(n: number): Promise<void> {
    const random = seeded(n + 1);
    const url = `${setting.home}${setting.slugs.events}/own-${n}.ics`;
    const upload = `${setting.daemon.url}/api/edits?project=${setting.place.project}`;
    const matching = async () => ({ "if-match": (await ask("GET", url, {})) ?? "" });
    const steps: readonly (() => Promise<unknown>)[] = [
      () => ask("PUT", url, { "if-none-match": "*" }, object(n, `${n} A`)),
      async () => ask("PUT", url, await matching(), object(n, `${n} B`)),
      () => ask("DELETE", url, {}),
      () => ask("PUT", url, {}, object(n, `${n} A`)),
      () => ask("POST", upload, {}, object(n, `${n} B`)),
      async () => ask("PUT", url, await matching(), object(n, `${n} A`)),
      () => ask("POST", upload, {}, object(n, `${n} A`, "METHOD:CANCEL")),
      () => ask("PUT", url, {}, object(n, `${n} A`)),
      async () => ask("PUT", url, await matching(), object(n, `${n} B`)),
    ];
    for (const step of steps) {
      await letPass(random() < 0.4 ? 0 : random() * 1200);
      await step();
    }
  }

  it("meets no conflict with the own hand", async () => {
    await Promise.all(Array.from({ length: uids }, (_, n) => live(n)));
    await eventually("all edits have ended", () => {
      const { pending = 0, claimed = 0 } = setting.daemon.rooms.store.journal.counts();
      return pending + claimed === 0 ? true : null;
    });
    const open = setting.edits().filter(({ state }) => state === "parked" || state === "held");
    expect(open).toEqual([]);
    const titles = setting.events().map(({ title }) => title);
    expect(titles.toSorted()).toEqual(Array.from({ length: uids }, (_, n) => `${n} B`));
  });
});
