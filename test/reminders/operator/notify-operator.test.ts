import { SqliteError } from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { personId } from "../../../src/domain/ids.ts";
import type { Trouble } from "../../../src/domain/trouble-kinds.ts";
import type { Delivery } from "../../../src/mail/mail.ts";
import type { OperatorMessage } from "../../../src/reminders/operator/notify-operator.ts";
import { aReceiver } from "../../support/receiver.ts";
import { aMailer, anInbox } from "../rig.ts";
import { anOperatorRig, fullDisk, hook, unreachable } from "./operator-rig.ts";

const backup: Trouble = { kind: "backup-failed", problem: "no space left on device" };

/** Every kind at once. */
const everything: readonly Trouble[] = [
  { kind: "key-refused", person: null },
  { kind: "key-refused", person: { id: personId(1002), name: "Ben" } },
  { kind: "zone-mismatch", zone: "Europe/Berlin", sent: "12:00+01:00", answered: "07:00-05:00" },
  { kind: "mail-failing", waiting: 3, problem: "the mail server does not respond" },
  { kind: "mail-refused", address: "cleo@example.com", problem: "no such mailbox" },
  { kind: "webhook-failing", name: "phone", waiting: 1, problem: "the receiver answered 500" },
  fullDisk,
  { kind: "storage-failing", problem: "the disk is full; make room" },
  { kind: "database-damaged", problem: "page 7 is damaged", remedy: "run `dayferry restore`" },
  backup,
  { kind: "ceiling-missed", advice: "Too many lists. What would help: archive some." },
  { kind: "queue-stuck", edits: 2, minutes: 20 },
  unreachable,
  { kind: "certificate", host: "company.example.com", until: "2026-12-01", problem: "" },
  { kind: "clock-wrong", seconds: 120 },
  { kind: "lists-unreadable", lists: 4, first: [{ source: "events:2001", problem: "404" }] },
  { kind: "subscription-failing", name: "Holidays", problem: "it answers 500" },
  { kind: "inbox-unusable", problem: "the folder is not there" },
  { kind: "edit-frozen", edit: 7, title: "Call", problem: "it keeps changing" },
  { kind: "edit-repeated", edit: 8, title: "Trip", problem: "it is there twice" },
  { kind: "removals-held", source: "tasks:3001", missing: 40, total: 50 },
];

it("a day with every trouble at once gives few messages: each trouble in one, and one for each end", async () => {
  const inbox = await anInbox();
  const rig = anOperatorRig({ mailer: aMailer(inbox) });
  rig.state.present = everything;
  await rig.step();
  await rig.pass(12 * 60);
  rig.state.present = [];
  await rig.pass(12 * 60);
  const reported = rig.events.map(({ kind, troubles }) => [kind, ...troubles]);
  expect(reported).toEqual([
    [
      "sent",
      "begun zone-mismatch",
      "begun mail-refused:cleo@example.com",
      "begun storage-failing",
      "begun database-damaged",
      "begun backup-failed",
      "begun queue-stuck",
    ],
    ["sent", "begun key-refused", "begun key-refused:1002"],
    [
      "sent",
      "begun disk-nearly-full",
      "begun certificate:company.example.com",
      "begun inbox-unusable",
      "begun edit-frozen:7",
      "begun edit-repeated:8",
    ],
    ["sent", "begun clock-wrong", "begun removals-held:tasks:3001"],
    ["sent", "begun mail-failing", "begun webhook-failing:phone", "begun service-unreachable"],
    ["sent", "begun lists-unreadable"],
    ["sent", "begun ceiling-missed", "begun subscription-failing:Holidays"],
    [
      "sent",
      "over zone-mismatch",
      "over database-damaged",
      "over backup-failed",
      "over edit-frozen:7",
      "over edit-repeated:8",
      "over removals-held:tasks:3001",
    ],
    ["sent", "over key-refused", "over key-refused:1002"],
    [
      "sent",
      "over mail-failing",
      "over webhook-failing:phone",
      "over storage-failing",
      "over queue-stuck",
      "over service-unreachable",
      "over certificate:company.example.com",
      "over inbox-unusable",
    ],
    [
      "sent",
      "over disk-nearly-full",
      "over clock-wrong",
      "over lists-unreadable",
      "over subscription-failing:Holidays",
    ],
    ["sent", "over ceiling-missed"],
  ]);
  expect(inbox.mails.map(({ mail }) => mail.subject?.replace(/^.*\): /, ""))).toEqual([
    "6 problems",
    "2 problems",
    "5 problems",
    "2 problems",
    "3 problems",
    "4 lists cannot be read",
    "2 problems",
    "6 problems are over",
    "2 problems are over",
    "7 problems are over",
    "4 problems are over",
    "over: Polling too slow",
  ]);
});

describe("OperatorMessages", () => {
  it("tell by mail and by both kinds of webhook, once each, also after restarts", async () => {
    const inbox = await anInbox();
    const [json, ntfy] = [await aReceiver(), await aReceiver("/alerts")];
    const rig = anOperatorRig({
      mailer: aMailer(inbox),
      webhooks: [hook(json.url), { ...hook(ntfy.url, { format: "ntfy" }), name: "ntfy" }],
    });
    rig.state.present = [fullDisk];
    for (let turn = 0; turn < 5; turn++) {
      await rig.pass(5);
      rig.restart();
    }
    rig.state.present = [];
    for (let turn = 0; turn < 5; turn++) {
      await rig.pass(5);
      rig.restart();
    }
    expect(inbox.mails.map(({ to, mail }) => [to, mail.subject])).toEqual([
      ["ops@example.com", "Dayferry (company.example.com): Disk nearly full"],
      ["ops@example.com", "Dayferry (company.example.com): over: Disk nearly full"],
    ]);
    expect(inbox.mails[0]?.mail.text).toContain(
      "490 MiB are free in /data.\nWhat to do: free disk space: without it no edit can be accepted.",
    );
    expect(json.received.map(({ data }) => data)).toMatchObject([
      {
        version: 1,
        event: "troubles",
        account: "company.example.com",
        title: "Disk nearly full",
        statusUrl: "https://calendar.example.com/status",
        troubles: [
          {
            id: "disk-nearly-full",
            state: "begun",
            severity: "doubtful",
            since: "2026-11-24T08:01:00Z",
            until: null,
            facts: { folder: "/data", freeMebibytes: 490 },
          },
        ],
      },
      { troubles: [{ state: "over", until: "2026-11-24T08:26:00Z" }] },
    ]);
    const [first] = ntfy.received;
    expect(first?.headers).toMatchObject({
      title: "Dayferry (company.example.com): Disk nearly full",
      priority: "3",
      tags: "warning",
      click: "https://calendar.example.com/status",
    });
    expect([first?.path, ntfy.received.length]).toEqual(["/alerts", 2]);
  });

  it("say nothing of what ended before its time, and report flapping once", async () => {
    const inbox = await anInbox();
    const rig = anOperatorRig({ mailer: aMailer(inbox) });
    rig.state.present = [unreachable];
    await rig.pass(10);
    rig.state.present = [];
    await rig.pass(60);
    expect(inbox.mails).toEqual([]);
    for (let turn = 0; turn < 60; turn++) {
      rig.state.present = turn % 2 === 0 ? [unreachable] : [];
      await rig.pass(2);
    }
    rig.state.present = [];
    await rig.pass(60);
    expect(inbox.mails.map(({ mail }) => mail.subject)).toEqual([
      "Dayferry (company.example.com): Service unreachable",
      "Dayferry (company.example.com): over: Service unreachable",
    ]);
  });

  it("repeat once, under the same id, what a crash interrupted", async () => {
    const sent: OperatorMessage[] = [];
    let answer: Promise<Delivery> = new Promise(() => {});
    const rig = anOperatorRig({
      ways: [
        {
          name: "webhook:phone",
          address: "phone",
          send(message) {
            sent.push(message);
            return answer;
          },
        },
      ],
    });
    rig.state.present = [backup];
    await rig.step();
    rig.clock.advance({ minutes: 1 });
    void rig.step();
    await Promise.resolve();
    answer = Promise.resolve({ kind: "sent", response: "200" });
    rig.restart();
    await rig.pass(10);
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
  });

  it("keep what could not be sent, never send two at once, and join beginning and end", async () => {
    const receiver = await aReceiver();
    const rig = anOperatorRig({ webhooks: [hook(receiver.url)] });
    receiver.status = 503;
    rig.state.present = [backup];
    await rig.pass(30);
    const tries = receiver.received.length;
    expect(tries).toBeGreaterThan(3);
    expect(tries).toBeLessThan(8);
    rig.state.present = [];
    await rig.pass(10);
    receiver.status = 200;
    await rig.pass(60);
    expect(new Set(receiver.received.map(({ data }) => data["id"])).size).toBe(1);
    expect(receiver.mostOpen()).toBe(1);
    expect(receiver.received.at(-1)?.data).toMatchObject({
      title: "over: Backup failed",
      text: expect.stringContaining("What it was: the last backup failed"),
      troubles: [{ state: "over" }],
    });
    expect(rig.events.filter(({ kind }) => kind === "sent")).toHaveLength(1);
  });

  it("park what is refused and report the webhook's state, until a start with another address", async () => {
    const receiver = await aReceiver();
    const rig = anOperatorRig({ webhooks: [hook(receiver.url)] });
    receiver.status = 401;
    rig.state.present = [backup];
    await rig.pass(120);
    expect(receiver.received).toHaveLength(1);
    expect(rig.store().operatorMessages.ways()).toEqual([
      {
        way: "webhook:phone",
        waiting: 0,
        refused: 1,
        problem: "the receiver rejects the token or the address (401)",
      },
    ]);
    receiver.status = 200;
    rig.restart();
    await rig.pass(2);
    expect(rig.store().operatorMessages.ways()).toMatchObject([{ refused: 0, problem: null }]);
    expect(receiver.received).toHaveLength(2);
  });

  it("repeat what lasts where configured, and keep counting over restarts", async () => {
    const inbox = await anInbox();
    const rig = anOperatorRig({ mailer: aMailer(inbox), again: "PT1H" });
    rig.state.present = [backup];
    await rig.pass(61);
    rig.restart();
    await rig.pass(62);
    expect(inbox.mails.map(({ mail }) => mail.subject?.replace(/^.*\): /, ""))).toEqual([
      "Backup failed",
      "still: Backup failed",
      "still: Backup failed",
    ]);
  });

  it("say once that nothing can be stored although that cannot be noted, and once that it ended", async () => {
    const inbox = await anInbox();
    let isFull = true;
    const rig = anOperatorRig({
      mailer: aMailer(inbox),
      around: (store) => ({
        ...store,
        durably(steps) {
          if (isFull) throw new SqliteError("disk is full", "SQLITE_FULL");
          return store.durably(steps);
        },
      }),
    });
    const problem = "the disk is full; make room";
    const since = Temporal.Instant.from("2026-11-24T08:00:00Z");
    rig.state.present = [backup];
    rig.state.unstored = [{ trouble: { kind: "storage-failing", problem }, since }];
    await rig.pass(20);
    expect(inbox.mails.map(({ mail }) => mail.subject?.replace(/^.*\): /, ""))).toEqual([
      "Storage failing",
    ]);
    isFull = false;
    rig.state.unstored = [];
    await rig.pass(20);
    expect(inbox.mails.map(({ mail }) => mail.subject?.replace(/^.*\): /, ""))).toEqual([
      "Storage failing",
      "Backup failed",
      "over: Storage failing",
    ]);
  });
});
