import { expect, it } from "vitest";
import { protocol } from "../../packages/caldav-server/test/protocol/protocol.ts";
import { events, home, vevent } from "../../packages/caldav-server/test/protocol/world.ts";
import { serviceId } from "../../src/domain/ids.ts";
import { anEvent, aTask, days, times } from "../support/items.ts";
import { rfcRig } from "./rfc-rig.ts";

protocol("the calendars of the workspace", rfcRig);

it("RFC 9110 9.3.4: PUT returns an ETag in review mode, in which the sender sees the object", async () => {
  const { put, call } = await rfcRig({ mode: "review" });
  const { headers, status } = await put(`${events}a.ics`, vevent("a"));
  expect([status, (await call(`GET ${events}a.ics`)).headers.etag]).toEqual([201, headers.etag]);
});

it("RFC 5545: every object is complete, folded and dated, and defines its time zones", async () => {
  const { store, propfind, call, put } = await rfcRig();
  const show = (event: ReturnType<typeof anEvent>) => store.mirror.put(event, "events:2001");
  show(anEvent(2, { when: days("2026-12-01", "2026-12-03"), title: "ä".repeat(100) }));
  show(anEvent(3, { when: times("2026-12-01T10:00", null), private: true, assigned: [] }));
  show(anEvent(4, { when: days("2026-12-05"), milestone: true, description: "a, b; c\\\nd" }));
  show(anEvent(6, { when: times("2026-12-01T10:00", "2026-12-01T11:00", "America/New_York") }));
  store.mirror.put(aTask(7, { percent: 50, description: "line\nline" }), "tasks:3001");
  store.mirror.put(aTask(8, { kind: "subtask", parentId: serviceId(7) }), "tasks:3001");
  await put(`${events}own.ics`, vevent("own"));
  const { responses: calendars } = await propfind(home, "<d:prop><d:resourcetype/></d:prop>", "1");
  let seen = 0;
  for (const { href } of calendars.slice(1)) {
    const { responses } = await propfind(href, "<d:prop><d:getetag/></d:prop>", "1");
    for (const member of responses.slice(1)) {
      checkObject((await call(`GET ${member.href}`)).text);
      seen++;
    }
  }
  expect(seen).toBeGreaterThan(8);
});

function checkObject(text: string): void {
  expect(text).toMatch(/^BEGIN:VCALENDAR\r\n/);
  expect(text).toMatch(/\r\nEND:VCALENDAR\r\n$/);
  expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  for (const line of text.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  const lines = text.replace(/\r\n[ \t]/g, "").split("\r\n");
  const count = (start: RegExp) => lines.filter((line) => start.test(line)).length;
  expect(count(/^VERSION:2\.0$/)).toBe(1);
  expect(count(/^PRODID:./)).toBe(1);
  expect(count(/^METHOD[:;]/)).toBe(0);
  expect(count(/^BEGIN:(VEVENT|VTODO)$/)).toBe(1);
  expect(count(/^UID:./)).toBe(1);
  expect(count(/^DTSTAMP:\d{8}T\d{6}Z$/)).toBe(1);
  const item = lines.slice(lines.findIndex((line) => /^BEGIN:V(EVENT|TODO)$/.test(line)));
  expect(item.filter((line) => /^(RRULE|RDATE|RECURRENCE-ID)[:;]/.test(line))).toEqual([]);
  const named = new Set([...text.matchAll(/;TZID=([^:;\r]+)/g)].map(([, tzid]) => tzid));
  const brought = [...text.matchAll(/BEGIN:VTIMEZONE\r\nTZID:([^\r]+)/g)].map(([, tzid]) => tzid);
  expect(brought).toHaveLength(named.size);
  expect(new Set(brought)).toEqual(named);
}
