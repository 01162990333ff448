import type { MirrorAge, ReportDocument } from "../build-report.ts";
import { ageText } from "./cell-text.ts";

/** One sentence on how fresh the mirror is. */
export function freshnessText(age: MirrorAge): string {
  const { sources, neverRead, failing, newestSeconds, oldestSeconds } = age;
  if (newestSeconds === null || oldestSeconds === null) return "Mirror: nothing has been read yet.";
  const doubts = [
    ...(neverRead > 0 ? [`${neverRead} never read`] : []),
    ...(failing > 0 ? [`${failing} failing`] : []),
  ];
  const those = doubts.length > 0 ? `; ${doubts.join(", ")}` : "";
  const [newest, oldest] = [newestSeconds, oldestSeconds].map(ageText);
  const ages = newest === oldest ? newest : `${newest} to ${oldest}`;
  return `Mirror: ${sources} ${sources === 1 ? "source" : "sources"}, read ${ages} ago${those}.`;
}

/** What a report shows: of when, for whom, in which zone. */
export function subtitle({ madeAt, asOf, zone, filters }: ReportDocument): string {
  const local = (at: Temporal.Instant) => {
    const there = at.toZonedDateTimeISO(zone);
    return `${there.toPlainDate().toString()} ${there.toPlainTime().toString({ smallestUnit: "minute" })}`;
  };
  const moment = asOf ? `as of ${local(asOf)}, made ${local(madeAt)}` : local(madeAt);
  return [`${moment} (${zone})`, ...filters].join(" · ");
}
