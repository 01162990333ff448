import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import { createAccessControl } from "../../src/people/people.ts";
import { aPerson } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";

function rig(clock = handClock("2026-11-21T09:00:00Z")) {
  const store = testStore(clock);
  store.directory.putPeople(
    [
      { ...aPerson(11, "Ana"), email: "ana@example.com", timeZone: "Europe/Lisbon" },
      { ...aPerson(12, "Ben"), email: "team@example.com" },
      { ...aPerson(13, "Cleo"), email: "Team@example.com" },
      { ...aPerson(14, "Dan"), email: "dan@example.com", suspended: true },
      aPerson(15, "Eve"),
    ],
    true,
  );
  const listed = [
    { id: personId(11), calendars: "write", apiKey: "key" },
    { id: personId(12), calendars: "read", apiKey: null },
  ] as const;
  const again = () => createAccessControl({ store, clock, randomBytes, listed });
  return { ...again(), again };
}

it("list() shows each person's rights, credentials and user name", () => {
  const { people, passwords } = rig();
  passwords.issue(personId(12));
  expect(people.list()).toEqual([
    {
      id: 11,
      name: "Ana",
      email: "ana@example.com",
      timeZone: "Europe/Lisbon",
      suspended: false,
      calendars: "write",
      hasPassword: false,
      hasOwnKey: true,
      login: "ana@example.com",
    },
    expect.objectContaining({ id: 12, calendars: "read", hasPassword: true, login: "12" }),
    expect.objectContaining({ id: 13, calendars: "write", hasOwnKey: false, login: "13" }),
    expect.objectContaining({ id: 14, suspended: true }),
    expect.objectContaining({ id: 15, email: null, login: "15" }),
  ]);
});

it("hasProgram() is true once a program has logged in, or when the password is older than the start", () => {
  const clock = handClock("2026-11-21T09:00:00Z");
  const { people, passwords, again } = rig(clock);
  const ben = personId(12);
  expect(people.hasProgram(ben)).toBe(false);
  passwords.issue(ben);
  expect(people.hasProgram(ben)).toBe(false);
  clock.advance({ minutes: 1 });
  expect(again().people.hasProgram(ben)).toBe(true);
  people.noteProgram(ben);
  expect(people.hasProgram(ben)).toBe(true);
  passwords.clear(ben);
  expect(people.hasProgram(ben)).toBe(false);
});

describe("setPassword()", () => {
  it("gives a password that logs the person in", () => {
    const { people, passwords } = rig();
    for (const id of [11, 12, 15].map(personId)) {
      const given = people.setPassword(id);
      if (given.kind !== "set") throw new Error(given.kind);
      expect(passwords.check(given.person.login, given.password)?.id).toBe(id);
      expect(given.person.hasPassword).toBe(true);
    }
  });

  it("refuses an unknown or suspended person", () => {
    const { people } = rig();
    expect(people.setPassword(personId(99))).toEqual({ kind: "unknown" });
    expect(people.setPassword(personId(14)).kind).toBe("refused");
    expect(people.get(personId(14))?.hasPassword).toBe(false);
  });
});
