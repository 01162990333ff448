import { describe, expect, it } from "vitest";
import { itemKinds } from "../../src/domain/fields.ts";
import { fingerprint } from "../../src/domain/fingerprint.ts";
import { isOwnUid, uidOf } from "../../src/domain/identity.ts";
import {
  editId,
  feedId,
  folderId,
  InvalidIdError,
  isId,
  itemKey,
  labelId,
  listId,
  personId,
  projectId,
  revision,
  serviceId,
} from "../../src/domain/ids.ts";
import {
  canComplete,
  collectionOf,
  directory,
  eventsOf,
  spokenKind,
  tasksOf,
} from "../../src/domain/item.ts";

import { fail, ok, unreachable } from "../../src/domain/result.ts";
import { type Source, sourceKinds, sourceName, sourceOf } from "../../src/domain/source.ts";
import { webLink } from "../../src/domain/web-link.ts";
import { anEvent, aTask } from "./items.ts";

const makers = [projectId, personId, listId, labelId, folderId, serviceId, itemKey, editId, feedId];

describe("IDs", () => {
  it("keep their number, even beyond 32 bits", () => {
    for (const make of makers) expect(make(2 ** 53 - 1)).toBe(9_007_199_254_740_991);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    "throw with the value if it is %d",
    (value) => {
      for (const make of makers) {
        expect(() => make(value)).toThrow(InvalidIdError);
        expect(() => make(value)).toThrow(String(value));
      }
    },
  );

  it.each([
    [1, true],
    ["1", false],
    [null, false],
    [0, false],
  ])("isId(%j) is %s", (value, known) => {
    expect(isId(value)).toBe(known);
  });

  it("allow a revision of zero, but nothing less and no fraction", () => {
    expect(revision(0)).toBe(0);
    expect(() => revision(-1)).toThrow(InvalidIdError);
    expect(() => revision(0.5)).toThrow(InvalidIdError);
    expect(new InvalidIdError("x")).toMatchObject({ name: "InvalidIdError", value: "x" });
  });
});

describe("uidOf()", () => {
  it("consists of kind and ID, and is recognized as the installation's own", () => {
    for (const kind of itemKinds) {
      const uid = uidOf(kind, serviceId(501), "abc.dayferry");
      expect(uid).toBe(`${kind}-501@abc.dayferry`);
      expect(isOwnUid(uid, "abc.dayferry")).toBe(true);
      expect(isOwnUid(uid, "other.dayferry")).toBe(false);
    }
  });

  it.each([
    "event-0@abc",
    "event-01@abc",
    "meeting-1@abc",
    "event-1@abc@abc",
    "x event-1@abc",
    "1",
  ])("does not include %j", (uid) => expect(isOwnUid(uid, "abc")).toBe(false));
});

it("a fingerprint is 32 digits of SHA-256 over UTF-8", () => {
  expect(fingerprint("")).toBe("e3b0c44298fc1c149afbf4c8996fb924");
  expect(fingerprint("ü")).toMatch(/^[0-9a-f]{32}$/);
  expect(fingerprint("ü")).not.toBe(fingerprint("u"));
});

it("the collection is the project of an event and the list of a task", () => {
  expect(collectionOf(anEvent())).toBe(eventsOf(projectId(2001)));
  expect(collectionOf(aTask())).toBe(tasksOf(listId(3001)));
  expect([collectionOf(anEvent()), collectionOf(aTask())]).toEqual(["events:2001", "tasks:3001"]);
  expect(directory).toBe("directory");
});

describe("sourceName()", () => {
  const scope = { projectId: projectId(1), listId: listId(2), taskId: serviceId(3) };
  const named: Readonly<Record<Source["kind"], [Source, string]>> = {
    projects: [{ kind: "projects" }, "projects"],
    people: [{ kind: "people" }, "people"],
    labels: [{ kind: "labels" }, "labels"],
    todolists: [{ kind: "todolists", ...scope }, "todolists:1"],
    events: [{ kind: "events", ...scope }, "events:1"],
    tasks: [{ kind: "tasks", ...scope }, "tasks:2"],
    subtasks: [{ kind: "subtasks", ...scope }, "subtasks:3"],
  };

  it.each(sourceKinds)("of %s", (kind) => {
    const [source, name] = named[kind];
    expect(sourceName(source)).toBe(name);
  });

  it("agrees with where an item is found", () => {
    expect(sourceOf(anEvent())).toBe("events:2001");
    expect(sourceOf(aTask())).toBe("tasks:3001");
    expect(sourceOf(aTask({ kind: "subtask", parentId: serviceId(3) }))).toBe("subtasks:3");
  });
});

it("milestones are told from other events", () => {
  const items = [anEvent(), anEvent({ milestone: true }), aTask(), aTask({ kind: "subtask" })];
  expect(items.map(spokenKind)).toEqual(["event", "milestone", "task", "subtask"]);
  expect(items.map(canComplete)).toEqual([false, true, true, true]);
});

describe("result", () => {
  it("holds a value or a failure", () => {
    expect(ok(1)).toEqual({ ok: true, value: 1 });
    expect(fail("x")).toEqual({ ok: false, failure: "x" });
  });

  it("unreachable() throws and shows the value of a forgotten case", () => {
    const forgotten: (value: never) => never = unreachable;
    expect(() => Reflect.apply(forgotten, null, [{ kind: "new" }])).toThrow('{"kind":"new"}');
  });
});

describe("webLink()", () => {
  const template = "https://company.example.com/#/{project}/{kind}/{id}?again={id}";
  it("fills in the template", () => {
    expect(webLink(template, anEvent({ milestone: true }))).toBe(
      "https://company.example.com/#/2001/event/501?again=501",
    );
    expect(webLink(template, aTask())).toContain("/2001/task/601");
  });

  it("is null if there is no template or the service does not know the item", () => {
    expect(webLink(null, anEvent())).toBeNull();
    expect(webLink(template, anEvent({ id: null }))).toBeNull();
  });
});
