import fc from "fast-check";
import ICAL from "ical.js";
import { describe, expect, it } from "vitest";
import type { EventItem } from "../../src/domain/item.ts";
import { renderMail } from "../../src/reminders/mail-content.ts";
import { type ReminderContext, reminderContent } from "../../src/reminders/reminder-words.ts";
import { dates, times } from "../support/items.ts";
import { ana, anEvent, aPerson, at, ben, berlin, cleo, mailedRig } from "./rig.ts";

const occasion = (
  item: Partial<EventItem> = {},
  fields: Partial<ReminderContext> = {},
): ReminderContext => ({
  item: { ...anEvent(), ...item },
  reader: aPerson({ id: ana, name: "Ana", timeZone: "Europe/Lisbon" }),
  reminder: {
    sort: "reminder",
    timing: {
      kind: "moment",
      startAt: at("2026-11-24T09:00:00Z"),
      dueAt: at("2026-11-24T09:00:00Z").subtract(item.reminder ?? { minutes: 15 }),
    },
  },
  others: [],
  project: "Website",
  list: null,
  parent: null,
  isPrivate: false,
  links: [{ label: "Open", url: "https://company.example.com/#/2001/event/501" }],
  at: Temporal.PlainTime.from("09:00"),
  stale: [],
  unsubscribe: null,
  dueAt: at("2026-11-24T08:45:00Z"),
  now: at("2026-11-24T08:45:00Z"),
  zone: berlin,
  ...fields,
});

const renderReminder = (about: ReminderContext) => renderMail(reminderContent(about));

/** The mail as a mailbox stores it. */
async function received(item: Parameters<typeof anEvent>[0], now = "2026-11-24T08:45:00Z") {
  const { inbox, rig } = await mailedRig({ now });
  rig.put(anEvent(item));
  await rig.run();
  const mail = inbox.mails.find(({ to }) => to === "ana@example.com")?.mail;
  if (!mail) throw new Error("no mail came in");
  const part = mail.attachments.find(({ mimeType }) => mimeType === "text/calendar");
  const bytes = part?.content ?? "";
  const calendar =
    typeof bytes === "string" ? bytes : Buffer.from(new Uint8Array(bytes)).toString();
  return { mail, part, calendar, rig };
}

describe("a mail", () => {
  it("says what, when in the reader's zone, how soon, who else, and where", async () => {
    const { mail } = await received({
      assigned: [ana, ben, cleo],
      description: "<p>Bring the <b>drafts</b> &amp; pens</p>",
    });
    expect(mail.from).toMatchObject({ name: "Dayferry", address: "dayferry@example.com" });
    expect(mail.to).toEqual([{ name: "Ana", address: "ana@example.com" }]);
    expect(mail.subject).toBe(
      "Reminder: Design review – Tue 24 Nov 2026, 09:00–10:00 (Europe/Lisbon)",
    );
    expect(mail.text?.replaceAll("\r\n", "\n").trimEnd()).toBe(
      [
        "Starts in 15 minutes: Design review",
        "Tue 24 Nov 2026, 09:00–10:00 (Europe/Lisbon)",
        "",
        "Project: Website",
        "Also assigned: Ben, Cleo",
        "",
        "Bring the drafts & pens",
        "",
        "Open: https://company.example.com/#/2001/event/501",
        "",
        "-- ",
        "You are assigned to this event, and it has a reminder 15 minutes before its start.",
      ].join("\n"),
    );
    expect(mail.html).toContain("<strong>Tue 24 Nov 2026, 09:00–10:00 (Europe/Lisbon)</strong>");
    expect(mail.html).toMatch(
      /<a [^>]*href="https:\/\/company\.example\.com\/#\/2001\/event\/501">Open</,
    );
    const headers = new Map(mail.headers.map(({ key, value }) => [key, value]));
    expect(headers.get("auto-submitted")).toBe("auto-generated");
    expect(headers.get("x-auto-response-suppress")).toBe("All");
    expect(Temporal.Instant.from(mail.date ?? "").toString()).toBe("2026-11-24T08:45:00Z");
  });

  it("carries the event as a published calendar with the UID of the feeds", async () => {
    const title = "Plan; review, and\\go\r\nATTENDEE:mailto:evil@example.com";
    const { calendar, part, rig } = await received({ title, private: true });
    expect(part?.method).toBe("PUBLISH");
    const parsed = new ICAL.Component(ICAL.parse(calendar));
    expect(parsed.getFirstPropertyValue("method")).toBe("PUBLISH");
    expect(parsed.getAllSubcomponents("vtimezone")).toHaveLength(1);
    // Outlook opens a calendar with a name as another calendar instead of as an event.
    expect(calendar).not.toMatch(/^(?:NAME|X-WR-CALNAME|REFRESH-INTERVAL|X-PUBLISHED-TTL):?/m);
    const [vevent, ...more] = parsed.getAllSubcomponents("vevent");
    if (!vevent) throw new Error("no event");
    expect(more).toEqual([]);
    const event = new ICAL.Event(vevent);
    expect(event.uid).toBe(`event-501@${rig.store.meta.installation}`);
    expect(event.summary).toBe("Plan; review, and\\go ATTENDEE:mailto:evil@example.com");
    expect(event.startDate.toString()).toBe("2026-11-24T10:00:00");
    expect(vevent.getAllProperties("attendee")).toEqual([]);
    expect(vevent.getAllSubcomponents("valarm")).toEqual([]);
    expect(vevent.getFirstPropertyValue("class")).toBe("PRIVATE");
  });

  it("shows whole days as dates, without a zone", async () => {
    const { mail, calendar } = await received(
      {
        when: dates("2026-11-24", "2026-11-26"),
        milestone: true,
        reminder: Temporal.Duration.from({ hours: 24 }),
      },
      "2026-11-22T23:00:00Z",
    );
    expect(mail.subject).toBe(
      "Reminder: Design review – Tue 24 Nov 2026 – Wed 25 Nov 2026 (all day)",
    );
    expect(mail.text).toMatch(/^Starts in 2 days: Design review\n/);
    expect(mail.text).toContain("this milestone, and it has a reminder 1 day before its start");
    expect(calendar).toContain("DTSTART;VALUE=DATE:20261124");
    expect(calendar).toContain("CATEGORIES:Milestone");
    expect(calendar).not.toContain("BEGIN:VTIMEZONE");
  });

  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "\r\n",
          "\n",
          "\r",
          "Bcc: x@example.org",
          "\u2028",
          "\u202e",
          "\0",
          "\ud800",
        ),
        fc.constantFrom(
          "שלום",
          "مرحبا",
          "👩‍👩‍👧‍👦",
          "<script>",
          '"',
          "'",
          "&amp;",
          "\\n",
          ";,:",
          "=?utf-8?q?x?=",
        ),
        fc.string({ unit: "grapheme", maxLength: 20 }),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(""));

  it("lets no title, text or name add a header, a recipient or markup", async () => {
    const { inbox, rig } = await mailedRig({ now: "2026-11-24T08:00:00Z" });
    let minute = 0;
    await fc.assert(
      fc.asyncProperty(hostile, hostile, hostile, async (title, description, name) => {
        inbox.mails.length = 0;
        minute += 1;
        const start = Temporal.PlainDateTime.from("2026-11-24T10:00").add({ minutes: minute });
        rig.store.directory.putPeople([aPerson({ id: ana, name, email: "a@example.com" })], false);
        rig.put(anEvent({ title, description, when: times(start.toString(), null) }));
        rig.set(`2026-11-24T08:45:00Z`);
        rig.advance({ minutes: minute });
        await rig.run();
        expect(inbox.mails).toHaveLength(1);
        const { to, mail } = inbox.mails[0] ?? { to: "", mail: null };
        expect(to).toBe("a@example.com");
        expect(mail?.to?.map(({ address }) => address)).toEqual(["a@example.com"]);
        expect(mail?.bcc).toBeUndefined();
        expect(mail?.subject).toMatch(/^Reminder: /);
        expect(mail?.subject).not.toMatch(/[\p{Cc}\u202e]/u);
        expect(mail?.html).not.toContain("<script");
        expect(mail?.text).toMatch(/^Starts in 15 minutes: /);
      }),
      { numRuns: 40 },
    );
  });
});

describe("renderReminder()", () => {
  it("uses the account's zone when the reader has none or an unknown one", () => {
    for (const timeZone of [null, "Mars/Phobos"]) {
      const reader = aPerson({ id: ana, name: "Ana", timeZone });
      const { subject } = renderReminder(occasion({}, { reader }));
      expect(subject).toContain("10:00–11:00 (Europe/Berlin)");
    }
  });

  it("shortens long titles and descriptions between visible characters", () => {
    const family = "👩‍👩‍👧‍👦";
    const long = renderReminder(
      occasion({ title: family.repeat(400), description: `${"word ".repeat(1000)}` }),
    );
    expect(long.subject).toContain(` ${family.repeat(72)}`);
    expect(long.subject).toContain("…");
    expect(long.subject.length).toBeLessThan(1100);
    expect(long.subject).not.toContain("\u200d…");
    expect(long.text).toContain("word…");
    expect(long.text.length).toBeLessThan(5000);
    const fitting = renderReminder(occasion({ title: "é".normalize("NFD").repeat(90) }));
    expect(fitting.subject).not.toContain("…");
  });

  it("has words for an empty title and omits what is unknown", () => {
    const bare = renderReminder(
      occasion({ title: " \n", description: "  " }, { project: null, links: [] }),
    );
    expect(bare.subject).toContain("(untitled)");
    for (const part of [bare.text, bare.html]) {
      expect(part).not.toContain("Project");
      expect(part).not.toContain("Open");
      expect(part).not.toContain("assigned:");
    }
  });

  it("escapes everything that comes from outside", () => {
    const { html } = renderReminder(
      occasion(
        { title: `<b>"T'&`, description: "1 < 2 & <notatag" },
        {
          project: "<i>",
          others: ["<u>"],
          links: [{ label: "Open", url: 'https://x.example/"><script>' }],
        },
      ),
    );
    expect(html).toContain("&lt;b&gt;&quot;T&#39;&amp;");
    expect(html).not.toMatch(/<(?:b|i|u|script)>/);
    expect(html).toContain('href="https://x.example/&quot;&gt;&lt;script&gt;"');
  });

  it("says that a mail is late, that an event is private, and that it concerns the start", () => {
    const punctual = renderReminder(occasion({}, { now: at("2026-11-24T08:50:00Z") }));
    expect(punctual.text).not.toContain("late");
    const late = renderReminder(
      occasion(
        { reminder: Temporal.Duration.from({ minutes: 0 }) },
        { isPrivate: true, now: at("2026-11-24T08:50:01Z") },
      ),
    );
    for (const part of [late.text, late.html]) {
      expect(part).toContain(
        "This mail is late. It was due on Tue 24 Nov 2026, 08:45 (Europe/Lisbon).",
      );
      expect(part).toContain("Private: ");
      expect(part).toContain("a reminder at its start");
    }
  });
});
