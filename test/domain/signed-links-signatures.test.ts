import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { feedId, itemKey, personId } from "../../src/domain/ids.ts";
import {
  createChoiceSigner,
  createLinkSigner,
  withoutSignatures,
} from "../../src/domain/signed-links.ts";

const key = createHash("sha256").update("only for tests").digest();
const until = Temporal.PlainDate.from("2027-03-31");
const acts = createLinkSigner(key);
const choices = createChoiceSigner(key);

describe("removing signatures", () => {
  const ofFeed = acts.sign({
    action: "done",
    item: itemKey(7),
    feed: feedId(1),
    feedVersion: 3,
    until,
  });
  const ofMail = acts.sign({ action: "week", item: itemKey(70_000), person: personId(11), until });
  const choice = choices.sign({ person: personId(11), choice: "digest" });

  it.each([
    ["a feed", `https://a.example/act/${ofFeed}`, ofFeed],
    ["a mail", `https://a.example/base/act/${ofMail}`, ofMail],
    ["the foot of a mail", `https://a.example/unsubscribe/${choice}`, choice],
  ])("makes a link of %s void, without changing its length", (_where, link, signed) => {
    const text = `— Done: ${link}\\n— Next: ${link}`;
    const safe = withoutSignatures(text);
    expect(safe).not.toContain(signed);
    expect(safe).toHaveLength(text.length);
    const [, left = ""] = /(?:act|unsubscribe)\/([\w-]+)/.exec(safe) ?? [];
    expect([acts.read(left), choices.read(left)]).toEqual([null, null]);
  });

  it("makes a folded link void, and keeps its folds", () => {
    const link = `DESCRIPTION:https://a.example/act/${ofFeed} and more`;
    for (let at = 20; at < link.length; at++) {
      const text = `${link.slice(0, at)}\r\n ${link.slice(at)}`;
      const safe = withoutSignatures(text);
      expect(safe).toHaveLength(text.length);
      expect(safe.replaceAll("\r\n ", "")).not.toContain(ofFeed);
      expect(safe.replaceAll("\r\n ", "").endsWith(" and more")).toBe(true);
    }
  });

  it.each([
    "https://other.example/act/of-parliament-which-has-a-very-long-name-indeed-x",
    "https://other.example/act/AQshort",
    "see /unsubscribe/ and /act/",
    "plain\r\n text",
  ])("keeps %j", (text) => {
    expect(withoutSignatures(text)).toBe(text);
  });
});
