import { describe, expect, it } from "vitest";
import { itemKey, personId } from "../../src/domain/ids.ts";
import { createLogInSigner } from "../../src/domain/signed-links.ts";
import { createDirectoryMailer } from "../../src/mail/directory-mailer.ts";
import { openOutbox } from "../../src/mail/outbox.ts";
import { createLogInMails } from "../../src/reminders/log-in-mails.ts";
import { noticeKey } from "../../src/store/mails/ledger.ts";
import { feedKey } from "../feeds/rig.ts";
import { zone } from "../support/items.ts";
import { testDirectory } from "../support/test-store.ts";
import { ana, ben, startApp, token } from "./people-rig.ts";

const form = { accept: "text/html", "content-type": "application/x-www-form-urlencoded" };
type Fields = Readonly<Record<string, string | readonly string[]>>;
const fields = (values: Fields) =>
  new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
  ).toString();

/** The HTTP side with a folder of mails, and browsers of several people. */
async function place({ whole = false } = {}) {
  const directory = testDirectory();
  const outbox = openOutbox({ directory });
  const dueAt = Temporal.Instant.from("2026-11-23T08:00:00Z");
  const ahead = [
    { person: ben, kind: "tasks", item: { key: itemKey(7), title: "Call <them>" }, dueAt } as const,
  ];
  const rig = await startApp({ whole, more: { outbox, mailsAhead: () => Promise.resolve(ahead) } });
  const password = rig.passwords.issue(ana);

  async function browser(values: Readonly<Record<string, string>>, agent = "Firefox") {
    const { headers } = await rig.call("POST /login", {
      headers: { ...form, "user-agent": agent },
      body: fields(values),
    });
    const cookie = headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    const look = (path: string) =>
      rig.call(`GET ${path}`, { headers: { accept: "text/html", cookie } });
    return {
      look,
      press: async (path: string, said: Fields = {}, at = "/me") => {
        const { text } = await look(at);
        const [, given = ""] = /name="form" value="([^"]+)"/.exec(text) ?? [];
        const body = fields({ form: given, ...said });
        const answer = await rig.call(`POST ${path}`, { headers: { ...form, cookie }, body });
        return { ...answer, to: answer.headers.get("location") };
      },
    };
  }
  const mailer = createDirectoryMailer(directory);
  const logInMails = createLogInMails({
    store: rig.store,
    mailer,
    from: { name: "Dayferry", address: "dayferry@example.com" },
    zone,
    clock: rig.clock,
    random: () => 0,
    signer: createLogInSigner(feedKey),
    baseUrl: () => "https://calendar.example.com/base",
    onEvent() {},
  });
  return {
    ...rig,
    outbox,
    password,
    browser,
    asAna: (agent?: string) => browser({ login: "11", password }, agent),
    asAdmin: () => browser({ token }),
    sendMails: () => logInMails.step(new AbortController().signal),
    askForLink: (login: string) =>
      rig.call("POST /login/link", { headers: form, body: fields({ login }) }),
  };
}

describe("a sign-in link by mail", () => {
  it("is sent once, to the address in the workspace, and opens the named page", async () => {
    const { askForLink, sendMails, outbox, store, call, clock } = await place();
    await askForLink("ANA@example.com");
    expect(await sendMails()).toBe("worked");
    expect(await sendMails()).toBe("idle");
    const [mail, ...others] = await outbox.list(10);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ subject: "Your link to log in to Dayferry", date: clock() });
    expect(mail?.to).toContain("ana@example.com");
    const read = await outbox.read(mail?.file ?? "");
    const [, link = ""] =
      /https:\/\/calendar\.example\.com\/base(\/login\/\S+)/.exec(read?.text ?? "") ?? [];
    expect(read?.text).toContain("works once, until");
    expect(read?.html).toContain(link);
    const opened = await call(`POST ${link}`, { headers: form });
    expect(opened.status).toBe(303);
    expect(store.ledger.recent(5)).toMatchObject([{ sort: "log-in", person: ana, state: "sent" }]);
    expect(store.ledger.state().sent).toBe(1);
  });

  it("is not sent if it has expired, or was used", async () => {
    const { askForLink, sendMails, outbox, clock, store } = await place();
    await askForLink("11");
    store.logInLinks.use(1);
    await askForLink("11");
    clock.advance({ minutes: 15 });
    expect(await sendMails()).toBe("idle");
    expect(await outbox.list(10)).toEqual([]);
  });
});

describe("/people", () => {
  it("shows the admin everybody, with their settings but no secrets, and the mails", async () => {
    const { asAdmin, askForLink, sendMails, password, store } = await place();
    store.mailChoices.turnOff(ben, "digest");
    await askForLink("11");
    await sendMails();
    const { look } = await asAdmin();
    const { status, text } = await look("/people");
    expect(status).toBe(200);
    for (const said of [
      "Ana &lt;b&gt;",
      "ben@example.com",
      "suspended",
      "<dd>their own API key</dd>",
      "<dd>the account&#39;s API key</dd>",
    ]) {
      expect(text).toContain(said);
    }
    expect(text).toContain('<a href="calendar/items/7"><bdi>Call &lt;them&gt;</bdi></a>');
    expect(text).toContain("Link to log in");
    expect(text).not.toContain(password);
    expect(text).not.toContain("hush");
    expect(text).not.toMatch(/ style=|<script>/);
  });

  it("sets a password that is shown once, and turns someone's mails off and on", async () => {
    const { asAdmin, store, passwords } = await place();
    const { press, look } = await asAdmin();
    const given = await press("/people/12/password", {}, "/people");
    const [, shown = ""] = /<strong>([\w-]+)<\/strong>/.exec(given.text) ?? [];
    expect(passwords.check("12", shown)?.id).toBe(ben);
    expect((await look("/people")).text).not.toContain(shown);
    const off = await press("/people/12/mails", { off: "tasks" }, "/people");
    expect([off.status, off.to]).toEqual([303, "../../people?mails=12#person-12"]);
    expect(store.mailChoices.isOff(ben, "tasks")).toBe(true);
    await press("/people/12/mails", { on: "tasks" }, "/people");
    expect(store.mailChoices.isOff(ben, "tasks")).toBe(false);
    expect((await press("/people/99/mails", { off: "all" }, "/people")).status).toBe(404);
  });

  it("keeps the changed person's choices unfolded", async () => {
    const { asAdmin } = await place();
    const { press, look } = await asAdmin();
    const { to } = await press("/people/12/mails", { off: "tasks" }, "/people");
    const { text } = await look(to?.replace("../..", "") ?? "");
    const cards = text.split('<li id="');
    const open = cards.filter((card) => card.includes("<details open>"));
    expect(open.map((card) => card.slice(0, 9))).toEqual(["person-12"]);
    expect((await look("/people?mails=odd")).text).not.toContain("<details open>");
  });

  it("says what a notice was about, and links to its edit", async () => {
    const { asAdmin, store } = await place();
    const event = store.mirror.findUid(`event-1@${store.meta.installation}`)?.item;
    const base = event && store.view.get(event)?.item;
    if (!event || !base) throw new Error("no event");
    const edit = store.journal.append({
      channel: "caldav",
      action: "update",
      newLabels: [],
      patch: { title: "Review, later" },
      actor: ana,
      item: event,
      base,
      state: "pending",
    });
    const claimed = store.journal.claimNext() ?? expect.fail("nothing to claim");
    store.journal.settle(claimed, { kind: "park", reason: "refused", problem: "no" });
    const [parked = expect.fail("nothing is reported")] = store.notices.open();
    store.notices.claim(noticeKey(parked), { address: "ana@example.com", messageId: "m" });
    const { text } = await (await asAdmin()).look("/people");
    expect(text).toContain(
      `Needs a decision: <bdi>Review</bdi> <a href="./edits/${edit}">Edit ${edit}</a>`,
    );
  });

  it("shows each mail of the outbox, its HTML in a sandboxed document", async () => {
    const { asAdmin, askForLink, sendMails, outbox } = await place();
    await askForLink("11");
    await sendMails();
    const [mail] = await outbox.list(1);
    const { look } = await asAdmin();
    const page = await look(`/people/outbox/${mail?.file}`);
    expect(page.text).toContain("Your link to log in to Dayferry");
    expect(page.text).toContain("Anyone with the link can log in as you");
    const document = await look(`/people/outbox/${mail?.file}/html`);
    const policy = document.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^sandbox allow-popups; default-src 'none'/);
    expect(policy).not.toContain("script");
    for (const none of ["nothing.eml", "..%2Fadmin-token", ".1.tmp"]) {
      expect((await look(`/people/outbox/${none}`)).status).toBe(404);
    }
  });

  it("is closed to members, except for their own profile", async () => {
    const { asAna } = await place();
    const { look, press } = await asAna();
    for (const path of ["/people", "/people/outbox/x.eml", "/people/outbox/x.eml/html"]) {
      expect((await look(path)).status).toBe(403);
    }
    expect((await press("/people/12/password")).status).toBe(403);
    expect((await press("/people/11/mails", { off: "all" })).status).toBe(403);
    expect((await look("/people/11/dayferry.mobileconfig")).status).toBe(200);
    expect((await look("/people/12/dayferry.mobileconfig")).status).toBe(404);
  });
});

describe("/me", () => {
  it("manages a person's own mails, password and sessions, and nobody else's", async () => {
    const { asAna, store, browser, passwords } = await place();
    await browser({ login: "12", password: passwords.issue(ben) }, "Ben's browser");
    const { look, press } = await asAna();
    const { text } = await look("/me");
    expect(text).toContain("ana@example.com");
    expect(text).not.toContain("Ben");
    await press("/me/mails", { off: "events" });
    expect(store.mailChoices.list(null)).toMatchObject([{ person: ana, choice: "events" }]);
    const [bens] = store.logIns.of(ben);
    await press("/me/log-ins", { end: String(bens?.id) });
    await press("/me/log-ins", { end: "others" });
    expect(store.logIns.of(ben)).toHaveLength(1);
  });

  it("sets a person's own reminder times, and returns to the configured ones", async () => {
    const { asAna, store } = await place({ whole: true });
    const { look, press } = await asAna();
    expect((await look("/me/reminders")).text).toContain("These are the defaults.");
    const saved = await press(
      "/me/reminders",
      { do: "save", milestones: ["P7D", "PT3H"], tasks: "P2D", at: "07:45" },
      "/me/reminders",
    );
    expect(saved.text).toMatch(/Saved.+value="PT3H" checked.+value="P7D" checked.+"07:45"/s);
    expect(JSON.parse(JSON.stringify(store.personReminders.of(ana)))).toEqual({
      milestones: ["P7D", "PT3H"],
      tasks: ["P2D"],
      at: "07:45:00",
      digestAt: null,
    });
    for (const wrong of [{ at: "7 o'clock" }, { at: "07:45", tasks: "P9Y" }]) {
      expect((await press("/me/reminders", wrong, "/me/reminders")).status).toBe(422);
    }
    expect(store.personReminders.of(ana)?.tasks).toHaveLength(1);
    await press("/me/reminders", { do: "forget" }, "/me/reminders");
    expect(store.personReminders.of(ana)).toBeNull();
  });

  it("creates an agent's token, shows it once, and revokes it", async () => {
    const { asAna, store, tokens } = await place();
    const { look, press } = await asAna();
    expect((await look("/me")).text).toContain("No agent has access.");
    expect((await press("/me/tokens", { name: " " }, "/me/tokens")).status).toBe(422);
    const made = await press("/me/tokens", { name: "Claude", scope: "read" }, "/me/tokens");
    const [token = ""] = /dayferry_[\w-]{43}/.exec(made.text) ?? [];
    expect(tokens.check(token)).toMatchObject({ person: { id: ana }, scope: "read" });
    const later = (await look("/me/tokens")).text;
    expect([later.includes("Claude"), later.includes(token)]).toEqual([true, false]);
    const id = String(store.accessTokens.of(ana)[0]?.id);
    await press("/me/tokens", { revoke: id }, "/me/tokens");
    expect(tokens.check(token)).toBeNull();
  });

  it("ends other sessions, one or all, and stays where it was pressed", async () => {
    const { asAna, store } = await place();
    const [first, second, third] = [await asAna("One"), await asAna("Two"), await asAna("Three")];
    const id = store.logIns.of(ana).find(({ agent }) => agent === "Two")?.id;
    await first.press("/me/log-ins", { end: String(id) });
    expect((await second.look("/me")).status).toBe(303);
    await first.press("/me/log-ins", { end: "others", confirmed: "yes" });
    expect((await third.look("/me")).status).toBe(303);
    expect((await first.look("/me")).text).toContain("this browser");
  });

  it("gives a new password, which ends every other session", async () => {
    const { asAna, passwords } = await place();
    const [here, there] = [await asAna(), await asAna()];
    const { text } = await here.press("/me/password", { confirmed: "yes" });
    const [, shown = ""] = /<strong>([\w-]+)<\/strong>/.exec(text) ?? [];
    expect(passwords.check("ana@example.com", shown)?.id).toBe(ana);
    expect((await here.look("/me")).status).toBe(200);
    expect((await there.look("/me")).status).toBe(303);
    await here.press("/me/password/clear", { confirmed: "yes" });
    expect(passwords.has(personId(11))).toBe(false);
  });

  it("leads the admin, who is no person of the workspace, to everybody", async () => {
    const { asAdmin } = await place();
    const { look } = await asAdmin();
    expect((await look("/me")).headers.get("location")).toBe("./people");
  });
});
