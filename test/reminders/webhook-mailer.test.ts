import { describe, expect, it } from "vitest";
import type { PersonId } from "../../src/domain/ids.ts";
import { createSeal } from "../../src/domain/sealed-text.ts";
import { createWebhookSettings, type WebhookSettings } from "../../src/people/webhook-settings.ts";
import { byMail } from "../../src/reminders/recipients.ts";
import { createWebhookMailer, reachByWebhook } from "../../src/reminders/webhook-mailer.ts";
import type { Store } from "../../src/store/store.ts";
import { aReceiver, type Receiver } from "../support/receiver.ts";
import { testDirectory } from "../support/test-store.ts";
import { aMailer, ana, anEvent, anInbox, aRig, ben, everyKind } from "./rig.ts";

const now = "2026-11-24T08:00:00Z";

/** Reminders by mail and by webhook over one database, as the daemon has them. */
async function bothWays(
  receiver: Receiver,
  { withMail = true, only = ana }: { readonly withMail?: boolean; readonly only?: PersonId } = {},
) {
  const inbox = await anInbox();
  const folder = testDirectory();
  const listed = (person: PersonId) =>
    person === only
      ? { url: receiver.url, format: "json" as const, token: null, secret: null, withMail }
      : null;
  const bookOf = (store: Store): WebhookSettings =>
    createWebhookSettings({
      store,
      seal: () => createSeal(Buffer.from("a key of this test"), "webhooks of people"),
      listed,
      hasListed: true,
      signal: new AbortController().signal,
      clock: () => Temporal.Instant.from(now),
    });
  const common = { folder, now, ticks: false } as const;
  const withBook = { book: null as WebhookSettings | null };
  const need = (): WebhookSettings => {
    if (!withBook.book) throw new Error("there is no book yet");
    return withBook.book;
  };
  const mail = aRig({
    ...common,
    mailer: aMailer(inbox),
    wishes: () => everyKind,
    reach: {
      ...byMail,
      addressOf: (person) => (need().withMail(person.id) ? byMail.addressOf(person) : ""),
    },
  });
  withBook.book = bookOf(mail.store);
  const hook = aRig({
    ...common,
    mailer: createWebhookMailer({ send: (person, message) => need().send(person, message) }),
    reach: reachByWebhook({
      has: (person) => need().has(person),
      since: (person) => need().since(person),
    }),
    around: (store) => ({
      ...store,
      ledger: { ...store.ledger, ...store.byWebhook().ledger },
    }),
  });
  const told = () => ({
    mails: inbox.mails.map(({ to }) => to),
    posts: receiver.received.map(({ data }) => data["title"]),
  });
  return { inbox, mail, hook, told, book: need };
}

/** Of Ana and Ben, whose reminder is due at 08:45. */
const shared = anEvent({ assigned: [ana, ben] });

describe("reminders by webhook", () => {
  it("go beside mails, once each way, also after restarts", async () => {
    const receiver = await aReceiver();
    const { mail, hook, told } = await bothWays(receiver);
    mail.put(shared);
    for (let turn = 0; turn < 3; turn++) {
      mail.set("2026-11-24T08:46:00Z");
      hook.set("2026-11-24T08:46:00Z");
      await hook.run();
      await mail.run();
      hook.restart();
    }
    const { mails, posts } = told();
    expect(mails.toSorted()).toEqual(["ana@example.com", "ben@example.com"]);
    expect(posts).toHaveLength(1);
    expect(receiver.received[0]?.data).toMatchObject({
      version: 1,
      event: "reminder",
      person: { id: 11, name: "Ana" },
      title: expect.stringContaining("Design review"),
      url: "https://company.example.com/#/2001/event/501",
    });
    expect(String(receiver.received[0]?.data["text"])).not.toContain("You get this mail");
  });

  it("replace mails where that is chosen", async () => {
    const receiver = await aReceiver();
    const { mail, hook, told } = await bothWays(receiver, { withMail: false });
    mail.put(shared);
    mail.set("2026-11-24T08:46:00Z");
    hook.set("2026-11-24T08:46:00Z");
    await hook.run();
    await mail.run();
    expect(told().mails).toEqual(["ben@example.com"]);
    expect(told().posts).toHaveLength(1);
  });

  it("are turned off together with mails", async () => {
    const receiver = await aReceiver();
    const { mail, hook, told } = await bothWays(receiver);
    mail.put(shared);
    mail.store.mailChoices.turnOff(ana, "events");
    mail.set("2026-11-24T08:46:00Z");
    hook.set("2026-11-24T08:46:00Z");
    await hook.run();
    await mail.run();
    expect(told()).toEqual({ mails: ["ben@example.com"], posts: [] });
  });

  it("are repeated with the same id when the receiver fails, and parked when it refuses", async () => {
    const receiver = await aReceiver();
    const { mail, hook, book } = await bothWays(receiver);
    mail.put(shared);
    receiver.status = 503;
    hook.set("2026-11-24T08:46:00Z");
    await hook.run();
    hook.restart();
    hook.set("2026-11-24T08:50:00Z");
    receiver.status = 401;
    await hook.run();
    hook.set("2026-11-24T10:50:00Z");
    await hook.run();
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ data }) => data["id"])).size).toBe(1);
    expect(book().describe(ana).fate).toMatchObject({
      state: "rejected",
      problem: "the receiver rejects the token or the address (401)",
    });
  });
});

it("WebhookSettings seals addresses, counts from when they were set, and refuses the own network", async () => {
  const receiver = await aReceiver();
  const { mail, book } = await bothWays(receiver, { only: ben });
  const wished = { format: "ntfy", token: "tk_hush-hush", withMail: false } as const;
  for (const url of [
    "http://127.0.0.1:8080/x",
    "http://[::1]/x",
    "http://192.168.1.5/",
    "http://localhost/x",
    "http://2130706433/",
    "ftp://ntfy.sh/x",
    "x",
  ]) {
    expect(book().set(ana, { ...wished, url }), url).toMatchObject({ ok: false });
  }
  expect(book().set(ana, { ...wished, url: "https://ntfy.sh/my-secret-topic" }).ok).toBe(true);
  expect(JSON.stringify(mail.store.personWebhooks.list())).not.toMatch(/topic|hush|ntfy\.sh/);
  expect(book().describe(ana).current).toEqual({
    host: "ntfy.sh",
    format: "ntfy",
    withMail: false,
    hasToken: true,
    by: "person",
  });
  expect(book().since(ana)).not.toBeNull();
  expect([book().withMail(ana), book().withMail(ben)]).toEqual([false, true]);
  expect(book().remove(ana)).toBe(true);
  expect(book().describe(ana).current).toBeNull();
});
