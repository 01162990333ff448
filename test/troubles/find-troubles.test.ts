import { describe, expect, it } from "vitest";
import { personId, projectId } from "../../src/domain/ids.ts";
import { sourceOf } from "../../src/domain/source.ts";
import { troubleId } from "../../src/domain/trouble.ts";
import type { Trouble } from "../../src/domain/trouble-kinds.ts";
import { noItem } from "../../src/store/mails/ledger.ts";
import { createTroubleFinder, type TroubleFacts } from "../../src/troubles/find-troubles.ts";
import { KeyWatch } from "../../src/upstream/send-request.ts";
import { anEvent, aPerson } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";

const mebibyte = 2 ** 20;

/** A finder over a real store; the test sets what else the daemon knows. */
function aFinder() {
  const clock = handClock("2026-11-24T08:00:00Z");
  const store = testStore(clock);
  const keys = new KeyWatch();
  const known = {
    ...{ out: null as string | null, lead: 0, free: 5000, advice: null as string | null },
    hooks: [] as ReturnType<TroubleFacts["eventWebhooks"]>,
  };
  const find = createTroubleFinder({
    store,
    upstream: {
      isOut: () => known.out !== null,
      outageProblem: () => known.out ?? "",
      keys,
      clockLead: () => Temporal.Duration.from({ seconds: known.lead }),
    },
    dataDir: "/data",
    host: "company.example.com",
    withOwnKey: new Set([personId(1001)]),
    advice: () => known.advice,
    channels: () => ({
      inbox: null,
      subscriptions: [{ name: "Holidays", problem: "the server answered 500" }],
    }),
    repeated: () => [],
    lostKeys: () => [],
    eventWebhooks: () => known.hooks,
    webhooks: [],
    listedWebhooks: [],
    clock,
    freeOn: () => known.free * mebibyte,
  });
  const found = (): readonly Trouble[] =>
    find().present.filter(({ kind }) => kind !== "subscription-failing");
  return { clock, store, keys, known, find, found };
}

describe("createTroubleFinder()", () => {
  it("finds nothing where all is well", () => {
    expect(aFinder().found()).toEqual([]);
  });

  it("reports webhooks for events whose last message failed, or whose changes were skipped, by their names", () => {
    const { known, found, clock } = aFinder();
    const settledAt = clock();
    const failed = { state: "deferred", problem: "it answered 503", settledAt } as const;
    known.hooks = [
      { name: "home", last: failed, skippedAt: null },
      { name: "home", last: failed, skippedAt: null },
      { name: "fine", last: { ...failed, state: "sent" }, skippedAt: null },
      { name: "away", last: null, skippedAt: clock() },
    ];
    expect(found()).toMatchObject([
      { kind: "webhook-failing", name: "home", problem: "it answered 503" },
      { kind: "webhook-failing", name: "away", problem: expect.stringContaining("skipped") },
    ]);
    clock.set("2026-12-24T08:00:00Z");
    expect(found()).toEqual([]);
  });

  it("keeps reporting a nearly full disk until there is room enough", () => {
    const { known, found } = aFinder();
    const steps = [499, 550, 599, 600, 550, 499].map((free) => {
      known.free = free;
      return found().length;
    });
    expect(steps).toEqual([1, 1, 1, 0, 0, 1]);
    expect(found()).toEqual([{ kind: "disk-nearly-full", folder: "/data", freeMebibytes: 490 }]);
  });

  it("tells the account's key from a person's, and 401 from one forbidden thing", () => {
    const { keys, found, find } = aFinder();
    const refused: Trouble = { kind: "key-refused", person: null };
    keys.note(personId(1001), { request: "GET /a", status: 403 });
    expect(found()).toEqual([]);
    expect(find().isUnsure(refused)).toBe(true);
    keys.note(personId(1001), { request: "GET /a", status: 401 });
    expect(found().map(troubleId)).toEqual(["key-refused:1001"]);
    keys.note(null, { request: "GET /a", status: 401 });
    expect(found().map(troubleId)).toEqual(["key-refused", "key-refused:1001"]);
    keys.note(null, { request: "GET /a", status: 200 });
    keys.note(personId(1001), { request: "GET /a", status: 200 });
    expect(found()).toEqual([]);
    expect(find().isUnsure(refused)).toBe(false);
  });

  it("blames the key for many different refusals without an answer in between", () => {
    const { keys, found } = aFinder();
    for (const path of ["a", "b", "c", "d"]) {
      keys.note(null, { request: `GET /${path}`, status: 403 });
    }
    expect(found()).toEqual([]);
    keys.note(null, { request: "GET /e", status: 403 });
    expect(found().map(troubleId)).toEqual(["key-refused"]);
  });

  it("names the certificate when that is why the service cannot be reached", () => {
    const { known, found } = aFinder();
    known.out = "connect ECONNREFUSED 192.0.2.1:443";
    expect(found().map(({ kind }) => kind)).toEqual(["service-unreachable"]);
    known.out = "certificate has expired (CERT_HAS_EXPIRED)";
    expect(found()).toEqual([
      { kind: "certificate", host: "company.example.com", until: null, problem: known.out },
    ]);
  });

  it("reports a person's webhook that missed its last message, until one arrives or its address changes", () => {
    const { clock, store, found } = aFinder();
    const person = personId(11);
    store.directory.putPeople([aPerson(11, "Ana Silva")], true);
    const webhook = {
      person,
      format: "json",
      address: "sealed",
      token: null,
      withMail: true,
    } as const;
    store.personWebhooks.put(webhook);
    clock.advance({ minutes: 1 });
    const { ledger } = store.byWebhook();
    const key = {
      kind: "digest",
      item: noItem,
      occurrence: "2026-11-24",
      lead: "",
      person,
    } as const;
    ledger.claim(key, { messageId: "<one@example.com>", address: "webhook" });
    ledger.rejected(key, { problem: "it answers 404", code: 404 });
    const name = "Ana Silva";
    expect(found()).toEqual([
      { kind: "person-webhook-failing", person: { id: person, name }, problem: "it answers 404" },
    ]);
    clock.advance({ minutes: 1 });
    store.personWebhooks.put(webhook);
    expect(found()).toEqual([]);
  });

  it("says nothing of lists while the whole service is the reason", () => {
    const { store, known, found } = aFinder();
    const source = { kind: "events", projectId: projectId(2001) } as const;
    store.sources.put([source]);
    store.sources.failed(source, "The service refused GET /x (500): no");
    expect(found().map(({ kind }) => kind)).toEqual(["lists-unreadable"]);
    known.out = "it answers 500";
    expect(found().map(({ kind }) => kind)).toEqual(["service-unreachable"]);
  });

  it("calls edits stuck that wait although the service answers, not during an outage", () => {
    const { clock, store, keys, known, found } = aFinder();
    const event = anEvent(1);
    store.mirror.put(event, sourceOf(event));
    const item = store.mirror.find("event", event.id);
    if (item === null) throw new Error("the event is not known");
    store.journal.append({
      channel: "upload",
      actor: null,
      action: "update",
      patch: { title: "Moved" },
      item,
      base: event,
      newLabels: [],
      state: "pending",
    });
    keys.note(null, { request: "GET /a", status: 200 });
    known.out = "it answers 503";
    clock.advance({ hours: 3 });
    expect(found().map(({ kind }) => kind)).toEqual(["service-unreachable"]);
    known.out = null;
    expect(found()).toEqual([]);
    clock.advance({ minutes: 16 });
    expect(found()).toEqual([{ kind: "queue-stuck", edits: 1, minutes: 195 }]);
  });

  it("keeps a look's finding until another look withdraws it", () => {
    const { store, found } = aFinder();
    const backup: Trouble = { kind: "backup-failed", problem: "no space left" };
    store.troubles.report(backup);
    expect(found()).toEqual([backup]);
    store.troubles.withdraw(troubleId(backup));
    expect(found()).toEqual([]);
  });

  it("finds a clock that is off by more than a minute", () => {
    const { known, found } = aFinder();
    known.lead = -59;
    expect(found()).toEqual([]);
    known.lead = -124;
    expect(found()).toEqual([{ kind: "clock-wrong", seconds: -120 }]);
  });
});
