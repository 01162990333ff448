import { expect, it } from "vitest";
import { startDav } from "../support/dav-server.ts";
import { anEvent } from "../support/items.ts";

it("a repeated PROPFIND reflects every change, separately for each person and request", async () => {
  const dav = await startDav();
  const put = (id: number, more: object) => dav.store.mirror.put(anEvent(id, more), "events:2001");
  for (let id = 1; id <= 70; id++) put(id, { title: `Event ${id}` });
  put(71, { title: "Between us", private: true, creatorId: 11 });
  const ask = async (person: 11 | 12, props = "<d:getetag/>") => {
    const { text } = await dav.call(`PROPFIND /dav/calendars/${person}/events-2001/`, {
      headers: {
        depth: "1",
        ...(person === 12 && dav.as("ben@example.com", dav.secrets.ben)),
      },
      body: `<d:propfind xmlns:d="DAV:"><d:prop>${props}</d:prop></d:propfind>`,
    });
    return text;
  };
  const events = (text: string) => text.match(/<d:response>/g)?.length;
  const first = await ask(11);
  expect(events(first)).toBe(72);
  expect(await ask(11)).toBe(first);
  expect(events(await ask(12))).toBe(71);
  expect(await ask(12)).not.toContain("/11/");
  const unknown = await ask(11, "<d:getetag/><d:x/>");
  expect(unknown).toContain("404");
  expect(unknown).not.toBe(first);
  put(3, { title: "Changed" });
  const second = await ask(11);
  const [before, after] = [first, second].map((text) => text.split("\n"));
  expect(after).toHaveLength(before?.length ?? 0);
  // The object, and the calendar with its new ETag.
  expect(after?.filter((line) => before?.includes(line) !== true)).toHaveLength(2);
  put(71, { title: "Between us", private: false, creatorId: 11 });
  expect(events(await ask(12))).toBe(72);
  put(71, { title: "Between us", private: true, creatorId: 11 });
  expect(events(await ask(12))).toBe(71);
  expect(events(await ask(11))).toBe(72);
});
