import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import {
  createChoiceSigner,
  createLinkSigner,
  createLogInSigner,
  type LinkAction,
} from "../../src/domain/signed-links.ts";
import { feedKey } from "../feeds/rig.ts";
import { type AttackedWorld, attackedWorld, secretOf, type Thing } from "./attacked-world.ts";

const anotherKey = createHash("sha256").update("the key after a change").digest();
const form = { "content-type": "application/x-www-form-urlencoded" };

/** Each text that differs from a signed one in one bit of one octet. */
function* bitFlips(signed: string): Generator<string> {
  const bytes = Buffer.from(signed, "base64url");
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield flipped.toString("base64url");
  }
}

/** What less strict decoders would read as the same text. */
const otherSpellings = (signed: string): readonly string[] => [
  `${signed}=`,
  `${signed}A`,
  signed.slice(0, -1),
  `%20${signed}`,
  signed.toUpperCase(),
  `${signed}%00`,
  `${signed}.`,
];

const journalOf = ({ store }: AttackedWorld) =>
  JSON.stringify(store.journal.list({ limit: 100 }).map(({ id, state }) => [id, state]));

function linkOf(world: AttackedWorld, thing: Thing, changes: { readonly until?: string } = {}) {
  const feed = world.store.feeds.get(world.feedsOf.own.id);
  if (!feed) throw new Error("there is no feed");
  const action: LinkAction = "done";
  return {
    action,
    item: world.items[thing],
    feed: feed.id,
    feedVersion: feed.version,
    until: Temporal.PlainDate.from(changes.until ?? "2027-03-31"),
  };
}

describe("a forged or repeated link", () => {
  it("of an action does and reveals nothing, whatever part was changed", async () => {
    const world = await attackedWorld();
    const role = world.role("nobody");
    const good = world.linkSigner.sign(linkOf(world, "own"));
    const forged = [
      ...bitFlips(good),
      ...otherSpellings(good),
      createLinkSigner(anotherKey).sign(linkOf(world, "own")),
      // Signed by the same key for another purpose.
      createLogInSigner(feedKey).sign(1),
      createChoiceSigner(feedKey).sign({ person: personId(11), choice: "all" }),
    ];
    const before = journalOf(world);
    const wrong: string[] = [];
    for (const [index, text] of forged.entries()) {
      const method = index % 2 === 0 ? "GET" : "POST";
      const { status, text: page } = await world.call(`${method} /act/${text}`, {
        role,
        headers: form,
      });
      if (status !== 404 || /Ownword/.test(page)) wrong.push(`${method} ${text}: ${status}`);
    }
    expect(wrong).toEqual([]);
    expect(journalOf(world)).toBe(before);
  });

  it("of an action is void after its last day, for items that its feed does not show, and once the feed has another address", async () => {
    const world = await attackedWorld();
    const role = world.role("nobody");
    const before = journalOf(world);
    const follow = async (signed: string) => {
      const answers = [
        await world.call(`GET /act/${signed}`, { role }),
        await world.call(`POST /act/${signed}`, { role, headers: form, body: "shown=none" }),
      ];
      for (const { text } of answers) expect(text).not.toMatch(/(?:Other|Private|Gone)word/);
      return answers.map(({ status }) => status);
    };
    const sign = (thing: Thing, changes?: { readonly until?: string }) =>
      world.linkSigner.sign(linkOf(world, thing, changes));
    expect(await follow(sign("own", { until: "2026-11-20" }))).toEqual([410, 410]);
    for (const thing of ["other", "private", "gone"] as const) {
      expect([thing, ...(await follow(sign(thing)))]).toEqual([thing, 410, 410]);
    }
    const good = sign("own");
    const admin = world.role("the admin by token");
    const rotated = await world.call(`POST /api/feeds/${world.feedsOf.own.id}/rotate`, {
      role: admin,
    });
    expect(rotated.status).toBe(200);
    expect(await follow(good)).toEqual([410, 410]);
    expect(journalOf(world)).toBe(before);
  });

  it("of mails changes no choice unless it is posted and signed for that person", async () => {
    const world = await attackedWorld();
    const role = world.role("nobody");
    const ana = personId(11);
    const signed = createChoiceSigner(feedKey).sign({ person: ana, choice: "all" });
    const choices = () => world.store.mailChoices.list(ana).length;
    // Mail scanners, and programs that prefetch.
    for (const method of ["GET", "HEAD", "GET"]) {
      expect((await world.call(`${method} /unsubscribe/${signed}`, { role })).status).toBe(200);
    }
    const wrong: string[] = [];
    const forged = [
      ...bitFlips(signed),
      ...otherSpellings(signed),
      createChoiceSigner(anotherKey).sign({ person: ana, choice: "all" }),
      createLogInSigner(feedKey).sign(11),
    ];
    for (const text of forged) {
      const { status } = await world.call(`POST /unsubscribe/${text}`, { role, headers: form });
      if (status !== 404) wrong.push(`${text}: ${status}`);
    }
    expect(wrong).toEqual([]);
    expect(choices()).toBe(0);
    const mailProgram = { role, headers: form, body: "List-Unsubscribe=One-Click" };
    expect((await world.call(`POST /unsubscribe/${signed}`, mailProgram)).status).toBe(200);
    expect(choices()).toBe(1);
    expect((await world.call(`POST /unsubscribe/${signed}`, mailProgram)).status).toBe(200);
    expect(choices()).toBe(1);
  });

  it("of a log-in opens nothing when looked at, changed, guessed or used again", async () => {
    const world = await attackedWorld();
    const role = world.role("nobody");
    for (const id of [0, 1, 2, 3, 2 ** 47]) {
      const signed = createLogInSigner(feedKey).sign(id);
      for (const text of [signed, ...otherSpellings(signed)]) {
        const answers = await Promise.all(
          ["GET", "HEAD", "POST"].map((method) =>
            world.call(`${method} /login/${text}`, { role, headers: form }),
          ),
        );
        expect(answers.map(({ status }) => status)).toEqual([410, 410, 410]);
        expect(answers.some(({ headers }) => "set-cookie" in headers)).toBe(false);
      }
    }
  });

  it("to a feed opens it by no other spelling, and not by its former address", async () => {
    const world = await attackedWorld();
    const role = world.role("nobody");
    const { path, id } = world.feedsOf.own;
    const secret = secretOf(path);
    const wrong: string[] = [];
    const spellings = [
      ...otherSpellings(secret),
      `${secret.slice(1)}${secret.slice(0, 1)}`,
      `../feeds/${secret}`,
      `${secret}/..`,
      secretOf(world.feedsOf.gone.path),
    ];
    for (const text of spellings) {
      const { status, text: said } = await world.call(`GET /feeds/${text}/a.ics`, { role });
      if (status !== 404 || said.includes("BEGIN:VCALENDAR")) wrong.push(`${text}: ${status}`);
    }
    expect(wrong).toEqual([]);
    expect((await world.call(`GET ${path}`, { role })).status).toBe(200);
    world.feeds.rotate(id);
    const old = await world.call(`GET ${path}`, { role, headers: { "if-none-match": "*" } });
    expect(old.status).toBe(404);
  });
});
