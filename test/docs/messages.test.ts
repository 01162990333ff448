import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { troubleTiming } from "../../src/domain/trouble.ts";
import { troubleKinds } from "../../src/domain/trouble-kinds.ts";

const text = readFileSync(new URL("../../docs/messages.md", import.meta.url), "utf8");

const inWords = (length: Temporal.Duration): string =>
  length.blank ? "at once" : `${length.total("minutes")} min`;

it("docs/messages.md lists every kind of trouble, with when it is reported and when it ends", () => {
  const rows = [...text.matchAll(/^\| `([\w-]+)` \| ([^|]+) \| ([^|]+) \|/gm)].map(
    ([, kind, told, over]) => [kind, told, over],
  );
  const traits = troubleKinds.map((kind) => {
    const { notifyAfter, overAfter, notifiesEnd } = troubleTiming({ kind });
    return [kind, inWords(notifyAfter), notifiesEnd ? inWords(overAfter) : "–"];
  });
  expect(rows).toEqual(traits);
});
