/** What bodies are compressed with, the better liked first: gzip costs the least. */
const codings = ["gzip", "br"] as const;
export type Coding = (typeof codings)[number];

/** Only an explicit wish counts: some calendar programs break on compression that they did not ask for. */
export function acceptsGzip(header: string | undefined): boolean {
  return (wishesIn(header).get("gzip") ?? 0) > 0;
}

/**
 * The coding that an `Accept-Encoding` asks for: the one it weighs most, gzip among equals and for a bare `*`; null where
 * it asks for none, or prefers the body as it is. Source: RFC 9110 12.5.3.
 */
export function codingFor(header: string | undefined): Coding | null {
  const wishes = wishesIn(header);
  const weights = codings.map((coding) => wishes.get(coding) ?? wishes.get("*") ?? 0);
  const most = Math.max(...weights);
  if (most <= 0 || (wishes.get("identity") ?? 0) > most) return null;
  return codings[weights.indexOf(most)] ?? null;
}

/** Each named coding with its weight, 0 to 1; one that cannot be read counts as none given. */
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
