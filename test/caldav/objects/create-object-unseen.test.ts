import { expect, it } from "vitest";
import { type ItemKey, personId, serviceId } from "../../../src/domain/ids.ts";
import { vevent } from "../../edits/rig.ts";
import { startDav } from "../../support/dav-server.ts";
import { anEvent } from "../../support/items.ts";
import { object } from "./object-rig.ts";

// Made UIDs count up: trying one after the other must not reveal what exists.

const home = "/dav/calendars/11/";

it.each<[string, string, Readonly<Record<string, string>>, readonly string[]]>([
  ["among the events", "events-2001", {}, []],
  ["among the events as something new", "events-2001", { "if-none-match": "*" }, []],
  ["among the assigned", "assigned", {}, []],
  ["with what cannot be read", "events-2001", {}, ["STATUS:CONFUSED", "PERCENT-COMPLETE:x"]],
])(
  "a PUT of a generated UID %s gives the same answer for hidden and nonexistent items",
  async (_name, slug, headers, lines) => {
    const { store, call } = await startDav();
    const hidden = { private: true, creatorId: personId(12), assigned: [personId(12)] };
    store.mirror.put(anEvent(5, hidden), "events:2001");
    const key: ItemKey | null = store.mirror.find("event", serviceId(5));
    const uid = key === null ? "" : store.mirror.identity(key).uid;
    expect(uid).toContain("5");
    const answers = [];
    for (const one of [uid, uid.replace("5", "6")]) {
      const { status, text } = await call(`PUT ${home}${slug}/x.ics`, {
        headers: { "content-type": "text/calendar", ...headers },
        body: object(vevent(one, "SUMMARY:Mine", "DTSTART:20261224T100000Z", ...lines)),
      });
      answers.push({ status, text });
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.status).toBe(slug === "assigned" ? 403 : 409);
    expect(store.journal.list({ limit: 9 })).toEqual([]);
  },
);
