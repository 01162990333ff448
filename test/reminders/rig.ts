import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";
import { onTestFinished } from "vitest";
import {
  type ItemKey,
  type PersonId,
  personId,
  projectId,
  type ServiceId,
} from "../../src/domain/ids.ts";
import type { EventItem, Item, Person, TaskItem } from "../../src/domain/item.ts";
import { everyMailKind as everyKind } from "../../src/domain/mail-kind.ts";
import { sourceOf } from "../../src/domain/source.ts";
import type { Mailer } from "../../src/mail/mail.ts";
import { createSmtpMailer } from "../../src/mail/smtp.ts";
import {
  createReminders,
  type ReminderEvent,
  type RemindersDeps,
} from "../../src/reminders/reminders.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { aTodolist, anEvent as bareEvent, aTask as bareTask, times } from "../support/items.ts";
import { layDatabase, migrations } from "../support/test-store.ts";

export const berlin = "Europe/Berlin";
export const ana = personId(11);
export const ben = personId(12);
export const cleo = personId(13);

export const at = (text: string): Temporal.Instant => Temporal.Instant.from(text);

export const aPerson = (fields: Partial<Person> & Pick<Person, "id" | "name">): Person => ({
  email: `${fields.name.toLowerCase()}@example.com`,
  timeZone: null,
  suspended: false,
  ...fields,
});

export const people: readonly Person[] = [
  aPerson({ id: ana, name: "Ana", timeZone: "Europe/Lisbon" }),
  aPerson({ id: ben, name: "Ben" }),
  aPerson({ id: cleo, name: "Cleo" }),
];

type Known<Kind extends Item = EventItem> = Kind & { readonly id: ServiceId };

/** An event of 10:00 to 11:00 in Berlin (09:00 UTC) on 24 November 2026, with a reminder of 15 minutes for Ana. */
export const anEvent = (fields: Partial<Known> = {}): Known => ({
  ...bareEvent(501, {
    title: "Design review",
    assigned: [ana],
    creatorId: ana,
    when: times("2026-11-24T10:00", "2026-11-24T11:00"),
    reminder: Temporal.Duration.from({ minutes: 15 }),
  }),
  ...fields,
});

/** Puts an event into the mirror. */
export function putEvent({ mirror }: Store, fields: Partial<Known>): ItemKey {
  const event = anEvent(fields);
  mirror.put(event, sourceOf(event));
  const key = mirror.find("event", event.id);
  if (key === null) throw new Error("the event is not known");
  return key;
}

/** A task of Ana's that is due on 24 November 2026. */
export const aTask = (fields: Partial<Known<TaskItem>> = {}): Known<TaskItem> => ({
  ...bareTask(801, { title: "Write the brief", assigned: [ana] }),
  ...fields,
});

export const on = (text: string): Temporal.PlainDate => Temporal.PlainDate.from(text);
export const leads = (...texts: readonly string[]) =>
  texts.map((text) => Temporal.Duration.from(text));

export { everyKind };

/** The mail server's reply to one recipient; 250 accepts the mail. */
export type Reply = (address: string) => number;

export interface Inbox {
  readonly url: string;
  readonly mails: { readonly to: string; readonly mail: Email }[];
  /** Every RCPT TO, also the refused ones. */
  readonly asked: string[];
}

/** Sorted, as mails to several people arrive in any order. */
export const subjects = ({ mails }: Inbox) =>
  mails.map(({ mail }) => mail.subject ?? "").toSorted();
export const recipients = ({ mails }: Inbox) => mails.map(({ to }) => to).toSorted();

/** A real mail server on loopback. */
export async function anInbox(reply: Reply = () => 250): Promise<Inbox> {
  const mails: { readonly to: string; readonly mail: Email }[] = [];
  const asked: string[] = [];
  const keep = async (to: string, octets: Buffer): Promise<void> => {
    mails.push({ to, mail: await PostalMime.parse(octets) });
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    logger: false,
    onRcptTo({ address }, _session, done) {
      asked.push(address);
      const code = reply(address);
      if (code === 250) return done();
      done(Object.assign(new Error(`answer ${code}`), { responseCode: code }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join();
        void keep(to, Buffer.concat(chunks)).finally(done);
      });
    },
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { url: `smtp://127.0.0.1:${port}`, mails, asked };
}

export function aMailer({ url }: { readonly url: string }): Mailer {
  const timeout = Temporal.Duration.from({ seconds: 5 });
  const mailer = createSmtpMailer({ url, password: null, timeout });
  onTestFinished(() => mailer.close());
  return mailer;
}

/** A mail server with these replies, and a rig whose mails go there. */
export async function mailedRig(options: Omit<RigOptions, "mailer">, reply?: Reply) {
  const inbox = await anInbox(reply);
  return { inbox, rig: aRig({ mailer: aMailer(inbox), ...options }) };
}

export interface RigOptions {
  readonly mailer: Mailer;
  readonly now: string;
  readonly installedAt?: string;
  readonly catchUp?: string;
  /** Only events' own reminders by default. */
  readonly mails?: Partial<Omit<RemindersDeps["options"], "catchUp">>;
  readonly perMinute?: number;
  readonly swept?: () => boolean;
  readonly rereadAll?: RemindersDeps["rereadAll"];
  readonly wishes?: RemindersDeps["wishes"];
  readonly choiceUrl?: RemindersDeps["choiceUrl"];
  readonly actions?: RemindersDeps["actions"];
  /** By mail by default. */
  readonly reach?: RemindersDeps["reach"];
  /** Comes before the store. */
  readonly around?: (store: Store) => Store;
  /** Path of the database, which is removed in the end; a new one by default. */
  readonly folder?: string;
  /** Whether time passes between two looks at the clock, as it really does; false for tests about an exact moment. */
  readonly ticks?: boolean;
}

export interface Rig {
  readonly store: Store;
  readonly events: ReminderEvent[];
  set(now: string): void;
  advance(duration: Temporal.DurationLike): void;
  put(...items: readonly Known<Item>[]): void;
  bury(id: ServiceId, kind?: Item["kind"]): void;
  suspend(person: PersonId): void;
  step(signal?: AbortSignal): Promise<"idle" | "worked">;
  /** Steps until there is nothing to do, at this time if one is given. */
  run(now?: string): Promise<void>;
  nextAt(): string | null;
  ahead(most: number): ReturnType<ReturnType<typeof createReminders>["ahead"]>;
  /** As after a crash: another process opens the same database. */
  restart(mailer?: Mailer): void;
}

/** Reminders over a real database; the test sets the clock. */
export function aRig(options: RigOptions): Rig {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "reminders-"));
  let now = at(options.installedAt ?? "2026-11-01T00:00:00Z");
  let mailer = options.mailer;
  const events: ReminderEvent[] = [];
  const clock = () => {
    const read = now;
    if (options.ticks !== false) now = now.add({ microseconds: 1 });
    return read;
  };
  layDatabase(folder);
  const open = () =>
    openStore({
      file: join(folder, "dayferry.sqlite"),
      migrations,
      zone: berlin,
      clock,
      randomId: randomUUID,
    });
  const start = (store: Store) =>
    createReminders({
      store: options.around?.(store) ?? store,
      mailer,
      ...(options.reach && { reach: options.reach }),
      from: { name: "Dayferry", address: "dayferry@example.com" },
      zone: berlin,
      options: {
        events: true,
        milestones: [],
        tasks: [],
        overdue: false,
        at: Temporal.PlainTime.from("09:00"),
        digest: null,
        ...options.mails,
        catchUp: Temporal.Duration.from(options.catchUp ?? "PT12H"),
      },
      perMinute: options.perMinute ?? 1000,
      wishes: options.wishes ?? (() => everyKind),
      choiceUrl: options.choiceUrl ?? null,
      actions: options.actions ?? null,
      swept: options.swept ?? (() => true),
      rereadAll: options.rereadAll ?? (() => () => true),
      webUrl: "https://company.example.com/#/{project}/{kind}/{id}",
      clock,
      random: () => 0,
      onEvent: (event) => events.push(event),
    });
  let store = open();
  let reminders = start(store);
  onTestFinished(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  now = at(options.now);
  store.directory.putPeople(people, true);
  const project = { id: projectId(2001), title: "Website", description: null, color: null };
  store.directory.putProjects([{ ...project, archived: false, members: [] }], true);
  store.directory.putTodolists(null, [aTodolist(3001, { title: "Launch" })], true);

  const step = (signal = new AbortController().signal) => reminders.step(signal);
  return {
    get store() {
      return store;
    },
    events,
    set: (text) => {
      now = at(text);
    },
    advance: (duration) => {
      now = now.add(duration);
    },
    put: (...items) => {
      for (const item of items) store.mirror.put(item, sourceOf(item));
    },
    bury(id, kind = "event") {
      const key = store.mirror.find(kind, id);
      if (key === null) throw new Error(`${kind} ${id} is not known`);
      store.mirror.bury(key);
    },
    suspend(person) {
      const who = people.filter(({ id }) => id === person);
      store.directory.putPeople(
        who.map((known) => ({ ...known, suspended: true })),
        false,
      );
    },
    step,
    async run(now) {
      if (now !== undefined) this.set(now);
      for (let steps = 0; (await step()) === "worked"; steps++) {
        if (steps > 100) throw new Error("the reminders do not come to rest");
      }
    },
    nextAt: () => reminders.nextAt()?.toString() ?? null,
    ahead: (most) => reminders.ahead(most),
    restart(other) {
      store.close();
      if (other) mailer = other;
      store = open();
      reminders = start(store);
    },
  };
}

export const messageIds = ({ mails }: Inbox) => mails.map(({ mail }) => mail.messageId);
