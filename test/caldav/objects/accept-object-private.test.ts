import { describe, expect, it } from "vitest";
import { listId, personId, projectId, serviceId } from "../../../src/domain/ids.ts";
import { createEditActions } from "../../../src/edits/actions/edit-actions.ts";
import { anEvent, aProject, aTask, aTodolist } from "../../support/items.ts";
import {
  chore,
  events,
  object,
  objectRig,
  party,
  root,
  tasks,
  uidOf,
  withMember,
} from "./object-rig.ts";

// The service shows private items to their creator and the assigned; without an own key the creator is the account.

const uid = "party@example.com";
const secret = party.replace("SUMMARY:Party", "SUMMARY:Party\r\nCLASS:PRIVATE");

/** The service's response to the edit: the account's key made the item, whoever sent it. */
function answered(rig: ReturnType<typeof objectRig>): void {
  const edit = rig.store.journal.claimNext();
  const item = edit && rig.store.view.get(edit.item)?.item;
  if (!edit || !item) throw new Error("nothing is on its way");
  rig.store.journal.confirm(edit, { ...item, id: serviceId(900), creatorId: personId(99) });
}

describe("a PUT of a private item", () => {
  it.each(["PRIVATE", "CONFIDENTIAL"])(
    "assigns the person without an API key: CLASS:%s",
    (word) => {
      const rig = objectRig();
      const item = secret.replace("PRIVATE", word);
      const answer = rig.put(`${events}/p.ics`, item);
      expect(answer).toMatchObject({ status: 201, headers: { ETag: rig.etag(`${events}/p.ics`) } });
      answered(rig);
      expect(rig.itemOf(uid)).toMatchObject({ private: true, assigned: [11] });
      expect(rig.text(`${events}/p.ics`)).toBe(object(item));
      expect(rig.names("events-2001", 12)).toEqual([]);
    },
  );

  it("does not assign the person whose own key is used", () => {
    const rig = objectRig({ withOwnKey: new Set([personId(11)]) });
    rig.put(`${events}/p.ics`, secret);
    expect(rig.itemOf(uid)).toMatchObject({ private: true, assigned: [] });
  });

  it.each([{}, { withOwnKey: new Set([personId(11)]) }])(
    "assigns a person who makes someone else's item private: %j",
    (setting) => {
      const { rig, path } = withMember(
        objectRig(setting),
        anEvent(501, { creatorId: personId(12) }),
      );
      const body = rig.text(path).replace("END:VEVENT", "CLASS:PRIVATE\r\nEND:VEVENT");
      const headers = { "if-match": rig.etag(path) };
      expect(rig.ask("PUT", path, { body, headers }).status).toBe(204);
      expect(rig.itemOf(uidOf(path))).toMatchObject({ private: true, assigned: [11] });
      expect(rig.get(path).status).toBe(200);
    },
  );

  it("assigns nobody who is already creator or assignee", () => {
    for (const seen of [{ creatorId: personId(11) }, { assigned: [personId(11)] }]) {
      const { rig, path } = withMember(
        objectRig(),
        anEvent(501, { creatorId: personId(12), ...seen }),
      );
      const body = rig.text(path).replace("END:VEVENT", "CLASS:PRIVATE\r\nEND:VEVENT");
      rig.ask("PUT", path, { body });
      expect(rig.edits()[0]?.patch).toEqual({ private: true });
    }
  });

  it("assigns the person to a new task of a private list", () => {
    const rig = objectRig();
    rig.store.directory.putTodolists(
      projectId(2001),
      [{ ...aTodolist(3001), private: true }],
      true,
    );
    rig.member(aTask(601, { assigned: [personId(11)] }));
    expect(rig.put(`${tasks}/c.ics`, chore()).status).toBe(201);
    expect(rig.itemOf("chore@example.com")).toMatchObject({ assigned: [11] });
  });
});

it("an item put as private in another calendar is private there, even if somebody has opened it meanwhile", () => {
  const rig = objectRig();
  const event = { creatorId: personId(11), title: "Party" };
  const path = rig.member(anEvent(501, { ...event, private: true }));
  const copy = rig.text(path);
  rig.member(anEvent(501, event));
  const uid = uidOf(path);
  const answer = rig.ask("PUT", `${root}/events-2002/p.ics`, {
    body: copy.replace("SUMMARY:Party", "SUMMARY:Plan"),
  });
  expect(answer.status).toBe(201);
  expect(rig.itemOf(uid)).toMatchObject({ projectId: 2002, title: "Plan", private: true });
});

describe("a MOVE of a private item", () => {
  it("assigns the former creator of a recreated event", () => {
    const rig = objectRig();
    const projects = [aProject(2001, "Website"), aProject(2002, "Fair")];
    rig.store.directory.putProjects(projects, true);
    const path = rig.member(
      anEvent(501, { private: true, creatorId: personId(12), assigned: [personId(11)] }),
    );
    const destination = `${root}/events-2002/m.ics`;
    expect(rig.ask("MOVE", path, { headers: { destination } }).status).toBe(201);
    expect(rig.edits()[0]?.patch).toMatchObject({ assigned: [11, 12] });
  });

  it("assigns a person who moves a task into a private list", () => {
    const rig = objectRig();
    const lists = [aTodolist(3001), { ...aTodolist(3003), private: true }];
    rig.store.directory.putTodolists(projectId(2001), lists, true);
    rig.member(aTask(602, { listId: listId(3003), assigned: [personId(11)] }));
    const path = rig.member(aTask(601, { creatorId: personId(12) }));
    const destination = `${root}/tasks-3003/m.ics`;
    expect(rig.ask("MOVE", path, { headers: { destination } }).status).toBe(201);
    expect(rig.get(destination).status).toBe(200);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ assigned: [11] });
  });
});

it("the former creator sees an item whose deletion was undone", () => {
  const { rig, path } = withMember(
    objectRig(),
    anEvent(501, { private: true, creatorId: personId(11) }),
  );
  rig.ask("DELETE", path);
  rig.clock.advance({ seconds: 5 });
  const edit = rig.store.journal.claimNext();
  if (edit) rig.store.journal.confirm(edit, null);
  const { store, deps } = rig;
  const editActions = createEditActions({ store, onReleased: deps.onAccepted });
  expect(editActions.undo(edit?.id ?? 0, { channel: "dashboard", actor: null }).kind).toBe("done");
  expect(rig.edits().at(-1)?.patch).toMatchObject({ private: true, assigned: [11] });
});
