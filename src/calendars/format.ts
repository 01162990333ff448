import { fingerprint } from "../domain/fingerprint.ts";
import { writeObject } from "../ics/write/write-object.ts";
import { createZoneWriter } from "../ics/zones/object-zones.ts";
import { writeTimeZone } from "../ics/zones/zones.ts";
import { sampleLabel, sampleViews } from "../store/reading/sample-views.ts";
import { dress } from "./dress.ts";

/** Objects of any time bring their zone; other time zone data may differ in a single year. */
const allYears = { fromYear: 1900, toYear: 2100 } as const;

/**
 * A fingerprint of how this build writes objects in a zone, taken from samples: where a newer build writes otherwise, every
 * ETag is another one, and no change log tells programs of it.
 */
export function formatOf(zone: string): string {
  const zonesOf = createZoneWriter();
  const context = {
    zone,
    labels: new Map([[sampleLabel, "Label"]]),
    uidOfTask: () => "parent",
    awaitedParent: () => null,
  };
  const texts = sampleViews.flatMap((view) => {
    const components =
      view.item.kind === "event" ? (["VEVENT", "VTODO"] as const) : (["VTODO"] as const);
    return components.map((component) => dress(view, component, context));
  });
  const objects = texts.map((text) => writeObject(text, zonesOf(text)));
  return fingerprint(JSON.stringify([...objects, writeTimeZone({ zone, ...allYears })]));
}
