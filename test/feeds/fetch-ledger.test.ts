import { describe, expect, it } from "vitest";
import { feedId, revision } from "../../src/domain/ids.ts";
import { createFetchLedger } from "../../src/feeds/fetch-ledger.ts";
import { feedRig } from "./rig.ts";

const feed = feedId(1);
const google = "Mozilla/5.0 (compatible; Google-Calendar-Importer/1.0)";

function rig() {
  const { store, clock, opened } = feedRig();
  opened().head();
  const puts: number[] = [];
  const known = { ...store.feedFetches };
  Object.assign(store.feedFetches, {
    put(...args: Parameters<typeof known.put>) {
      puts.push(args[1].length);
      known.put(...args);
    },
  });
  const start = () => createFetchLedger({ store, clock });
  const version = (etag = '"a"') => ({ etag, modifiedAt: clock(), revision: revision(7) });
  return { store, clock, puts, start, version };
}

describe("the ledger of fetches", () => {
  it("shows who fetches how often, when last, and which version", () => {
    const { start, clock, version } = rig();
    const ledger = start();
    const visit = (hours: number) => {
      clock.advance({ hours });
      ledger.note(feed, google, version());
    };
    visit(0);
    expect(ledger.of(feed, { shown: '"a"' })[0]?.says).toBe(
      "Google · fetched once · last 0 s ago · up to date",
    );
    // One night away does not change what is usual.
    for (const hours of [6, 6, 14, 6]) visit(hours);
    clock.advance({ hours: 3 });
    expect(ledger.of(feed, { shown: '"b"' })).toMatchObject([
      {
        program: "Google",
        agent: google,
        visits: 5,
        interval: Temporal.Duration.from("PT21600S"),
        holds: { etag: '"a"', revision: 7, isShownNow: false },
        says: "Google · every 6 h (set by Google) · last 3 h ago · older version until the next fetch",
      },
    ]);
  });

  it.each([
    ["Microsoft.Exchange/15.20 (Windows NT 10.0; Win64; x64)", "Outlook"],
    ["macOS/14.5 (23F79) CalendarAgent/1001.4.1", "Apple Calendar"],
    ["iOS/17.5.1 (21F90) dataaccessd/1.0", "iPhone or iPad"],
    ["macOS/14.5 (23F79) dataaccessd/1.0", "Apple Calendar"],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.2.0", "Thunderbird"],
    ["ICSx5/2.2.3 (2024/09/01; okhttp/4.12.0) Android/14", "ICSx5"],
    ["curl/8.5.0", "curl"],
    ["", "a program without a name"],
    [`${"x".repeat(90)}/1`, "x".repeat(40)],
  ])("recognizes %s as %s", (agent, program) => {
    const { start, version } = rig();
    const ledger = start();
    ledger.note(feed, agent, version());
    expect(ledger.of(feed, { shown: null })[0]?.program).toBe(program);
  });

  it("counts fetches within a minute as one visit, with the newest version", () => {
    const { start, clock, version } = rig();
    const ledger = start();
    ledger.note(feed, "curl/8", version());
    clock.advance({ seconds: 20 });
    ledger.note(feed, "curl/8", version('"b"'));
    expect(ledger.of(feed, { shown: '"b"' })).toMatchObject([
      { visits: 1, holds: { isShownNow: true } },
    ]);
  });

  it("is written at most once a minute, and survives a restart", () => {
    const { start, clock, version, puts } = rig();
    const ledger = start();
    for (let count = 0; count < 500; count++) {
      clock.advance({ seconds: 1 });
      ledger.note(feed, "curl/8", version(`"${count}"`));
      ledger.keep(false);
    }
    expect(puts.length).toBeLessThan(10);
    ledger.keep(true);
    expect(start().of(feed, { shown: null })).toEqual(ledger.of(feed, { shown: null }));
    const before = puts.length;
    ledger.keep(true);
    expect(puts).toHaveLength(before);
  });

  it("keeps a dozen programs per feed, whatever names appear", () => {
    const { start, clock, version, store } = rig();
    const ledger = start();
    for (let count = 0; count < 40; count++) {
      clock.advance({ minutes: 2 });
      ledger.note(feed, `program-${count}/1`, version());
      ledger.keep(true);
    }
    const names = ledger.of(feed, { shown: null }).map(({ program }) => program);
    expect(names).toHaveLength(12);
    expect(names[0]).toBe("program-39");
    expect(store.feedFetches.of(feed).map(({ program }) => program)).toEqual(names);
  });
});
