import { expect, it } from "vitest";
import { personId } from "../../../src/domain/ids.ts";
import { handClock, testStore } from "../../support/test-store.ts";

it("keeps a chosen language, and replaces a browser's with the next browser's", () => {
  const { personLanguages } = testStore(handClock("2026-11-21T09:00:00Z"));
  const ana = personId(11);
  const known = () => [personLanguages.of(ana), personLanguages.chosen(ana)];
  expect(known()).toEqual([null, null]);
  personLanguages.note(ana, "fr");
  personLanguages.note(ana, "es");
  expect(known()).toEqual(["es", null]);
  personLanguages.choose(ana, "de");
  personLanguages.note(ana, "fr");
  expect(known()).toEqual(["de", "de"]);
});
