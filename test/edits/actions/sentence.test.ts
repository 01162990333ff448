import { describe, expect, it } from "vitest";
import type { Channel, Edit } from "../../../src/domain/edit.ts";
import {
  type EditId,
  editId,
  labelId,
  listId,
  personId,
  projectId,
} from "../../../src/domain/ids.ts";
import type { Item } from "../../../src/domain/item.ts";
import type { Patch } from "../../../src/domain/patch.ts";
import { programName } from "../../../src/domain/program-name.ts";
import {
  type DescribedEdit,
  didInWords,
  editInWords,
  sinceInWords,
} from "../../../src/edits/actions/sentence.ts";
import { inLanguage } from "../../../src/texts/say.ts";
import { anEvent, aTask, days, times, zone } from "../../support/items.ts";
import { handClock, testStore } from "../../support/test-store.ts";

const createdAt = Temporal.Instant.from("2026-11-20T12:00:00Z");
const day = (text: string) => Temporal.PlainDate.from(text);
const names = {
  people: new Map([
    [personId(11), "Ana"],
    [personId(12), "Ben"],
  ]),
  labels: new Map([
    [labelId(51), "Design"],
    [labelId(52), "Print"],
  ]),
  project: (id: number) => (id === 2001 ? "Website" : "Fair"),
  list: (id: number) => `List ${id}`,
  zone,
};

const call = anEvent(1, { title: "Release call" });
const write = aTask(2, { title: "Write", dueOn: day("2026-11-24") });

describe("sentences about a change", () => {
  it.each<readonly [string, Item, Patch]>([
    [
      "moved Release call from 10:00 to 11:00",
      call,
      { when: times("2026-11-23T11:00", "2026-11-23T12:00") },
    ],
    [
      "moved Release call from Mon 23 Nov to Tue 24 Nov",
      call,
      { when: times("2026-11-24T10:00", "2026-11-24T11:00") },
    ],
    [
      "moved Release call from Mon 23 Nov, 10:00 to Sun 3 Jan 2027, 09:00",
      call,
      { when: times("2027-01-03T09:00", "2027-01-03T10:00") },
    ],
    [
      "set the end of Release call from 11:00 to 12:30",
      call,
      { when: times("2026-11-23T10:00", "2026-11-23T12:30") },
    ],
    ["took the end off Release call", call, { when: times("2026-11-23T10:00") }],
    [
      "moved Release call from Mon 23 Nov, 10:00–11:00 to Mon 23 Nov, 14:00–16:00",
      call,
      { when: times("2026-11-23T14:00", "2026-11-23T16:00") },
    ],
    [
      "made Release call all day, Mon 23 Nov – Tue 24 Nov (before: Mon 23 Nov, 10:00–11:00)",
      call,
      { when: days("2026-11-23", "2026-11-24") },
    ],
    [
      "gave Release call a time, Tue 24 Nov, 09:00–10:00 (before: all day Mon 23 Nov)",
      { ...call, when: days("2026-11-23") },
      { when: times("2026-11-24T09:00", "2026-11-24T10:00") },
    ],
    [
      "moved Release call from Mon 23 Nov to Thu 26 Nov",
      { ...call, when: days("2026-11-23") },
      { when: days("2026-11-26") },
    ],
    [
      "renamed Release call to Launch, set the reminder of it to 15 minutes before and made it private",
      call,
      { title: "Launch", reminder: Temporal.Duration.from({ minutes: 15 }), private: true },
    ],
    ["added the description to Release call", call, { description: "Words" }],
    [
      "took the description off Release call",
      { ...call, description: "Words" },
      { description: null },
    ],
    ["made Release call a milestone", call, { milestone: true }],
    ["completed Write", write, { completed: true }],
    [
      "moved the due date of Write from Tue 24 Nov to Wed 25 Nov",
      write,
      { dueOn: day("2026-11-25") },
    ],
    ["took the due date off Write (Tue 24 Nov)", write, { dueOn: null }],
    ["set the start date of Write to Fri 20 Nov", write, { startOn: day("2026-11-20") }],
    ["assigned Ana and Ben to Write", write, { assigned: [personId(11), personId(12)] }],
    [
      "assigned Ana to Write and took Ben off it",
      { ...write, assigned: [personId(12)] },
      { assigned: [personId(11)] },
    ],
    ["took Design off Write", { ...write, labels: [labelId(51)] }, { labels: [] }],
    [
      "moved Write from Website, List 3001 to Fair, List 3009",
      write,
      { place: { projectId: projectId(2002), listId: listId(3009) } },
    ],
  ])("%s", (said, base, patch) => {
    const edit = { action: "update", base, patch, newLabels: [], createdAt } as const;
    expect(didInWords(edit, names)).toBe(said);
  });

  it("shows times in the reader's time zone", () => {
    const patch = { when: times("2026-11-23T11:00", "2026-11-23T12:00") };
    const edit = { action: "update", base: call, patch, newLabels: [], createdAt } as const;
    expect(didInWords(edit, { ...names, zone: "America/New_York" })).toBe(
      "moved Release call from 04:00 to 05:00",
    );
  });

  it("says of a planned edit what will be done", () => {
    const edit = { patch: {}, newLabels: [], createdAt, isPlanned: true };
    const said = (about: Pick<DescribedEdit, "action" | "base"> & Partial<DescribedEdit>) =>
      didInWords({ ...edit, ...about }, names);
    expect(said({ action: "create", base: write })).toBe("create the task Write, due Tue 24 Nov");
    expect(said({ action: "complete", base: write, patch: { completed: true } })).toBe(
      "complete Write",
    );
    expect(said({ action: "update", base: write, newLabels: ["QA"] })).toBe(
      'give Write the new label "QA"',
    );
    const german = inLanguage(
      () => "de",
      () => said({ action: "update", base: call, patch: { title: "Launch" } }),
    );
    expect(german).toBe("benennt Release call in Launch um");
  });

  it("names what was created or deleted, with its date", () => {
    const edit = { patch: {}, newLabels: [], createdAt };
    expect(didInWords({ ...edit, action: "create", base: write }, names)).toBe(
      "created the task Write, due Tue 24 Nov",
    );
    expect(didInWords({ ...edit, action: "delete", base: call }, names)).toBe(
      "deleted Release call on Mon 23 Nov, 10:00–11:00",
    );
    const back = { ...edit, action: "delete", base: call, undoes: editId(4) } as const;
    expect(didInWords(back, names)).toMatch(/^took edit 4 back: deleted Release call/);
    const labelled = { ...edit, action: "update", base: write, newLabels: ["QA"] } as const;
    expect(didInWords(labelled, names)).toBe('gave Write the new label "QA"');
  });
});

describe("sentences about an edit", () => {
  function stored(
    channel: Channel,
    program: string | null,
  ): (change?: (id: EditId) => void) => Edit {
    const clock = handClock("2026-11-20T12:00:00Z");
    const store = testStore(clock);
    store.mirror.put(call, "events:2001");
    const item = store.mirror.find("event", call.id);
    if (item === null) throw new Error("the event is not mirrored");
    const patch = { when: times("2026-11-23T11:00", "2026-11-23T12:00") };
    const id = store.journal.append({
      channel,
      actor: channel === "link" ? null : personId(12),
      program,
      item,
      action: "update",
      base: call,
      patch,
      newLabels: [],
      state: "pending",
    });
    return () => {
      const claimed = store.journal.claimNext();
      clock.advance({ milliseconds: 200 });
      if (claimed) store.journal.confirm(claimed, { ...call, ...patch });
      const edit = store.journal.get(id);
      if (!edit) throw new Error("the edit is gone");
      return edit;
    };
  }

  it("says who, what, by which program and how long it took", () => {
    const edit = stored("caldav", "Mozilla/5.0 (X11) Gecko/20100101 Thunderbird/140.5.0")();
    expect(editInWords(edit, names).sentence).toBe(
      "Ben moved Release call from 10:00 to 11:00, by Thunderbird, confirmed in 0.2 s",
    );
    expect(editInWords(stored("link", null)(), names).sentence).toMatch(
      /^Someone with a link moved/,
    );
    expect(editInWords(stored("dashboard", "Firefox/1")(), names).by).toBeNull();
  });

  it("writes durations in words", () => {
    const after = (seconds: number) => sinceInWords(createdAt, createdAt.add({ seconds }));
    expect([0, 3, 42, 180, 7200].map(after)).toEqual([
      "in 0.1 s",
      "in 3 s",
      "in 42 s",
      "after 3 minutes",
      "after 2 hours",
    ]);
  });
});

it.each([
  ["macOS/15.5 (24F74) CalendarAgent/1158", "Apple Calendar"],
  ["macOS/15.5 (24F74) dataaccessd/1.0", "Apple Calendar"],
  ["iOS/18.5 (22F76) dataaccessd/1.0", "iPhone or iPad"],
  ["iOS/18.5 (22F76) remindd/2800", "Apple Reminders"],
  ["DAVx5/4.5.2-ose (2025/09/12; dav4jvm; okhttp/5.1.0) Android/15", "DAVx5"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.4.0", "Thunderbird"],
  ["Google-Calendar-Importer", "Google"],
  ["curl/8.14.1", "curl"],
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36",
    "Chrome",
  ],
  ["Something of ours/2", "Something of ours"],
  ["", null],
  [null, null],
])("the name of the program %s is %s", (agent, name) => {
  expect(programName(agent)).toBe(name);
});
