/** Supported codings, preferred first. gzip is the cheapest. */
const codings = ["gzip", "br"] as const;
export type Coding = (typeof codings)[number];

/** Requires an explicit `gzip`: some calendar programs break on compression they did not request. */
export function acceptsGzip(header: string | undefined): boolean {
  return (wishesIn(header).get("gzip") ?? 0) > 0;
}

/**
 * The coding with the highest weight in an `Accept-Encoding` header; gzip on a tie and for `*`. Null if the header is
 * missing or prefers no compression. Source: RFC 9110 12.5.3.
 */
export function codingFor(header: string | undefined): Coding | null {
  const wishes = wishesIn(header);
  const weights = codings.map((coding) => wishes.get(coding) ?? wishes.get("*") ?? 0);
  const most = Math.max(...weights);
  if (most <= 0 || (wishes.get("identity") ?? 0) > most) return null;
  return codings[weights.indexOf(most)] ?? null;
}

/** The weight of each named coding, 0 to 1. A weight that cannot be parsed counts as 1. */
function wishesIn(header: string | undefined): ReadonlyMap<string, number> {
  const wishes = (header ?? "").split(",").map((part): readonly [string, number] => {
    const [coding = "", ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return [coding, weight === undefined ? 1 : weightOf(weight)];
  });
  return new Map(wishes);
}

const weightOf = (text: string): number =>
  /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 1;
