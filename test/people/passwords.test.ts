import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import type { Person } from "../../src/domain/item.ts";
import { createPasswords } from "../../src/people/passwords.ts";
import { aPerson } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";

const ana = personId(11);

function passwordsOf(people: readonly Person[]) {
  const store = testStore(handClock("2026-11-21T09:00:00Z"));
  store.directory.putPeople(people, true);
  return { store, passwords: createPasswords({ store, randomBytes }) };
}

const withMail = (id: number, email: string, fields: Partial<Person> = {}): Person => ({
  ...aPerson(id, `Person ${id}`),
  email,
  ...fields,
});

describe("issue()", () => {
  it("gives 26 letters and digits in groups, none of which look alike", () => {
    const { passwords } = passwordsOf([withMail(11, "ana@example.com")]);
    const issued = Array.from({ length: 200 }, () => passwords.issue(ana));
    for (const password of issued) {
      expect(password).toMatch(/^(?:[0-9a-hjkmnp-tv-z]{4}-){6}[0-9a-hjkmnp-tv-z]{2}$/);
    }
    expect(new Set(issued).size).toBe(issued.length);
  });

  it("ends the older password", () => {
    const { passwords } = passwordsOf([withMail(11, "ana@example.com")]);
    const [first, second] = [passwords.issue(ana), passwords.issue(ana)];
    expect(passwords.check("11", first)).toBeNull();
    expect(passwords.check("11", second)?.id).toBe(ana);
  });

  it("stores neither the password nor a repeatable digest of it", () => {
    const { store, passwords } = passwordsOf([withMail(11, "a@example.com")]);
    const bytes = Buffer.alloc(16, 7);
    const fixed = createPasswords({ store, randomBytes: () => bytes });
    const password = fixed.issue(ana);
    expect(JSON.stringify(store.appPasswords.get(ana))).not.toContain(password.replaceAll("-", ""));
    passwords.issue(ana);
    const digests = [1, 2].map(() => {
      passwords.issue(ana);
      return store.appPasswords.get(ana)?.salt;
    });
    expect(new Set(digests).size).toBe(2);
  });
});

describe("check()", () => {
  it.each<[string, (login: string, password: string) => readonly [string, string]]>([
    ["typed as shown", (login, password) => [login, password]],
    ["in capitals", (login, password) => [login.toUpperCase(), password.toUpperCase()]],
    ["without dashes", (login, password) => [login, password.replaceAll("-", "")]],
    ["with spaces", (login, password) => [` ${login} `, ` ${password.replaceAll("-", " ")}\n`]],
    ["with a long dash", (login, password) => [login, password.replaceAll("-", "–")]],
    ["with o for 0 and l for 1", (login, password) => [login, spoken(password)]],
    ["with the id", (_login, password) => ["11", password]],
  ])("accepts the right password %s", (_how, typed) => {
    const { passwords } = passwordsOf([withMail(11, "Ana.Sousa@example.com")]);
    const password = passwords.issue(ana);
    expect(passwords.check(...typed("ana.sousa@example.com", password))?.id).toBe(ana);
  });

  const spoken = (password: string) => password.replaceAll("0", "O").replaceAll("1", "l");

  it.each([
    ["wrong password", "ana@example.com", "abcd-abcd-abcd-abcd-abcd-abcd-ab"],
    ["empty password", "ana@example.com", ""],
    ["endless password", "ana@example.com", "a".repeat(100_000)],
    ["unknown address", "eve@example.com", null],
    ["unknown id", "12", null],
    ["id with a sign", "+11", null],
    ["id as a fraction", "11.0", null],
    ["id beyond all ids", "9007199254740993", null],
    ["empty login", "", null],
    ["blank login", "  ", null],
  ])("refuses %s", (_what, login, password) => {
    const { passwords } = passwordsOf([
      withMail(11, "ana@example.com"),
      { ...aPerson(13, "Without"), email: "" },
    ]);
    const right = passwords.issue(ana);
    passwords.issue(personId(13));
    expect(passwords.check(login, password ?? right)).toBeNull();
  });

  it("refuses people who are suspended, gone or cleared", () => {
    const { store, passwords } = passwordsOf([withMail(11, "ana@example.com")]);
    const password = passwords.issue(ana);
    store.directory.putPeople([withMail(11, "ana@example.com", { suspended: true })], true);
    expect(passwords.check("ana@example.com", password)).toBeNull();
    expect(passwords.check("11", password)).toBeNull();
    store.directory.putPeople([], true);
    expect(passwords.check("11", password)).toBeNull();
    store.directory.putPeople([withMail(11, "ana@example.com")], true);
    expect(passwords.check("11", password)?.id).toBe(ana);
    expect(passwords.clear(ana)).toBe(true);
    expect(passwords.clear(ana)).toBe(false);
    expect(passwords.check("11", password)).toBeNull();
    expect(passwords.list()).toEqual([]);
  });

  it("tells two people with one address apart by their passwords", () => {
    const shared = "team@example.com";
    const { store, passwords } = passwordsOf([
      withMail(11, shared),
      withMail(12, "Team@Example.com"),
    ]);
    const [password, bens] = [passwords.issue(ana), passwords.issue(personId(12))];
    expect(passwords.check(shared, password)?.id).toBe(ana);
    expect(passwords.check(shared, bens)?.id).toBe(12);
    expect(passwords.check(shared, "wrong")).toBeNull();
    expect(passwords.check("11", password)?.id).toBe(ana);
    expect(passwords.check("11", bens)).toBeNull();
    store.directory.putPeople([withMail(12, shared, { suspended: true })], false);
    expect(passwords.check(shared, password)?.id).toBe(ana);
  });

  it("refuses another person's password", () => {
    const { passwords } = passwordsOf([
      withMail(11, "a@example.com"),
      withMail(12, "b@example.com"),
    ]);
    const [of11, of12] = [passwords.issue(ana), passwords.issue(personId(12))];
    expect(passwords.check("a@example.com", of12)).toBeNull();
    expect(passwords.check("b@example.com", of11)).toBeNull();
    expect(passwords.list()).toEqual([11, 12]);
  });
});
