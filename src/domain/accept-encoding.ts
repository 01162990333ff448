/** Only an explicit wish counts: some calendar programs break on compression that they did not ask for. */
export function acceptsGzip(header: string | undefined): boolean {
  const codings = (header ?? "").split(",").map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  );
  const named = codings.find(([coding]) => coding === "gzip");
  return named !== undefined && !named.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
}
