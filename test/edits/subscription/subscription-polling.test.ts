import { describe, expect, it } from "vitest";
import { fingerprint } from "../../../src/domain/fingerprint.ts";
import { anEvent } from "../../support/items.ts";
import { vevent, withItem } from "../rig.ts";
import { review, subscriptionRig } from "./subscription-rig.ts";

const shown = (uid: string, title = "Review") =>
  vevent(
    uid,
    `SUMMARY:${title}`,
    "DTSTART;TZID=Europe/Berlin:20261123T100000",
    "DTEND;TZID=Europe/Berlin:20261123T110000",
  );

describe("polling a subscribed calendar", () => {
  it("does not happen before it is due", async () => {
    const rig = await subscriptionRig();
    await rig.shows(shown("x@x"));
    await rig.step();
    rig.clock.advance({ minutes: 4, seconds: 59 });
    await rig.step();
    expect(rig.server.requests).toHaveLength(1);
    rig.clock.advance({ seconds: 1 });
    await rig.step();
    expect(rig.server.requests).toHaveLength(2);
    rig.restart();
    await rig.step();
    expect(rig.server.requests).toHaveLength(2);
  });

  it("compares nothing if the server says unchanged or sends the same content", async () => {
    const rig = await subscriptionRig();
    await rig.shows(shown("x@x"));
    const before = rig.state();
    await rig.again();
    expect(rig.server.requests[1]?.headers["if-none-match"]).toMatch(/^"[0-9a-f]{8}"$/);
    await rig.answers((_request, response) => response.writeHead(304).end());
    expect(rig.state()).toMatchObject({ state: "watched", changedAt: before.changedAt });
    expect(rig.state().succeededAt).toEqual(rig.clock());
  });

  it("does not compare the same content again if the server has no validators", async () => {
    const { rig, uid } = withItem(await subscriptionRig(), anEvent(1, review));
    const body = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${shown(uid)}\r\nEND:VCALENDAR\r\n`;
    for (let round = 0; round < 2; round++) {
      await rig.answers((_request, response) => response.writeHead(200).end(body));
    }
    expect(rig.server.requests[1]?.headers).not.toHaveProperty("if-none-match");
    expect(rig.events).toHaveLength(1);
    expect(rig.state().items).toBe(1);
  });

  it("waits longer with each failure, up to the usual interval, and reports once", async () => {
    const rig = await subscriptionRig();
    const waits: number[] = [];
    for (let round = 0; round < 6; round++) {
      await rig.answers((_request, response) => response.writeHead(500).end());
      waits.push(rig.state().nextAt?.since(rig.clock()).total("minutes") ?? 0);
    }
    expect(waits).toEqual([0.25, 0.5, 1, 2, 4, 5]);
    expect(rig.state()).toMatchObject({
      state: "failing",
      failures: 6,
      problem: "the server answered 500",
      succeededAt: null,
    });
    await rig.shows(shown("x@x"));
    expect(rig.state()).toMatchObject({ state: "watched", problem: null, failures: 0 });
    expect(rig.events.map(({ kind }) => kind)).toEqual(["failed", "began", "recovered"]);
  });

  it("pauses as the server asks, up to an hour", async () => {
    const rig = await subscriptionRig();
    for (const [asked, minutes] of [
      ["1800", 30],
      ["999999", 60],
    ]) {
      await rig.answers((_request, response) =>
        response.writeHead(429, { "retry-after": `${asked}` }).end(),
      );
      expect(rig.state().nextAt?.since(rig.clock()).total("minutes")).toBe(minutes);
    }
  });

  it("takes the first complete calendar as the baseline", async () => {
    const rig = await subscriptionRig({ options: { new: "create" } });
    await rig.answers("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n");
    expect(rig.state().problem).toContain("the calendar is empty");
    await rig.answers("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n");
    expect(rig.events.map(({ kind }) => kind)).toEqual(["failed"]);
    await rig.shows(shown("a@x", "A"));
    expect(rig.edits()).toEqual([]);
    await rig.shows(shown("a@x", "A"), shown("b@x", "B"));
    expect(rig.wishes()).toEqual(["create B"]);
  });

  it("continues from the last snapshot after a restart", async () => {
    const { rig, uid } = withItem(await subscriptionRig(), anEvent(1, review));
    await rig.shows(shown(uid));
    rig.restart();
    await rig.shows(shown(uid, "Renamed while down"));
    expect(rig.wishes()).toEqual(["update Review"]);
  });

  it("starts with a new baseline if the address changes", async () => {
    const { rig, uid } = withItem(await subscriptionRig(), anEvent(1, review));
    await rig.shows(shown(uid));
    rig.restart({ url: `${rig.server.url}?renewed` });
    expect(rig.state()).toMatchObject({ state: "new", items: 0 });
    await rig.shows(shown(uid, "Another calendar"));
    expect(rig.edits()).toEqual([]);
    expect(rig.state().state).toBe("watched");
  });

  it("does not happen before the workspace was read", async () => {
    const rig = await subscriptionRig({ deps: { known: () => false } });
    await rig.shows(shown("x@x"));
    expect(rig.server.requests).toHaveLength(0);
    expect(rig.state()).toMatchObject({ state: "new", attemptedAt: null });
  });

  it("blames nobody if the daemon stops while it reads", async () => {
    const stop = new AbortController();
    const rig = await subscriptionRig({
      deps: {
        fetch: () => {
          stop.abort();
          return Promise.resolve({ kind: "failed", problem: "aborted", retryAfter: null });
        },
      },
    });
    rig.restart();
    await rig.stepUntil(stop.signal);
    expect(rig.state()).toMatchObject({ state: "new", failures: 0, problem: null });
  });

  it("never reveals the address in its state or in the database", async () => {
    const rig = await subscriptionRig();
    await rig.shows(shown("x@x"));
    await rig.answers((_request, response) => response.writeHead(403).end());
    const told = JSON.stringify([
      rig.state(),
      rig.events,
      rig.store.subscriptions.open("Ana's calendar", fingerprint(rig.server.url)),
      rig.items(),
    ]);
    expect(told).not.toContain("secret-path");
    expect(told).not.toContain(String(rig.server.port));
  });
});
