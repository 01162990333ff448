import { describe, expect, it } from "vitest";
import { personId } from "../../../src/domain/ids.ts";
import { storeRig } from "../rig.ts";

const [ana, ben] = [personId(11), personId(12)];

describe("mailChoices", () => {
  it("isOff() follows turning one kind, or every mail, off and on", () => {
    const { store, clock } = storeRig();
    const { mailChoices } = store;
    const versions = [mailChoices.version()];
    mailChoices.turnOff(ana, "tasks");
    versions.push(mailChoices.version());
    expect(mailChoices.isOff(ana, "tasks")).toBe(true);
    expect(mailChoices.isOff(ana, "events")).toBe(false);
    expect(mailChoices.isOff(ben, "tasks")).toBe(false);
    clock.advance({ minutes: 1 });
    mailChoices.turnOff(ana, "all");
    versions.push(mailChoices.version());
    expect(mailChoices.isOff(ana, "events")).toBe(true);
    mailChoices.turnOn(ana, "events");
    expect(mailChoices.isOff(ana, "events")).toBe(false);
    expect(mailChoices.isOff(ana, "tasks")).toBe(true);
    mailChoices.turnOn(ana, "tasks");
    expect(mailChoices.isOff(ana, "tasks")).toBe(false);
    expect(new Set(versions).size).toBe(3);
  });

  it("list() keeps the first time when a kind is turned off twice", () => {
    const { store, clock } = storeRig();
    const { mailChoices } = store;
    const offAt = clock();
    mailChoices.turnOff(ben, "digest");
    clock.advance({ hours: 1 });
    mailChoices.turnOff(ben, "digest");
    mailChoices.turnOff(ana, "all");
    expect(mailChoices.list(ben)).toEqual([{ person: ben, choice: "digest", offAt }]);
    expect(mailChoices.list(null).map(({ person }) => person)).toEqual([ben, ana]);
  });
});
