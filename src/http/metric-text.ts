import type { MetricLabels, Sample, Spread } from "../domain/tallies.ts";

/** A metric with its description and samples. */
export interface TextMetric {
  /** A counter's name ends in `_total`. */
  readonly name: string;
  readonly type: "gauge" | "counter" | "histogram";
  readonly help: string;
  readonly samples: readonly (Sample | Spread)[];
}

/** Supported formats. */
export type MetricForm = "prometheus" | "openmetrics";

export const contentTypes: Readonly<Record<MetricForm, string>> = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/**
 * Writes metrics; those without samples are omitted. Source: Prometheus, Exposition formats (text format 0.0.4); OpenMetrics
 * 1.0.0, which names the family of a counter without `_total`, writes bounds as floats and ends in `# EOF`.
 */
export function metricText(metrics: readonly TextMetric[], form: MetricForm): string {
  const lines = metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap((metric) => linesOf(metric, form));
  return [...lines, ...(form === "openmetrics" ? ["# EOF"] : []), ""].join("\n");
}

function linesOf({ name, type, help, samples }: TextMetric, form: MetricForm): readonly string[] {
  const family = form === "openmetrics" && type === "counter" ? name.replace(/_total$/, "") : name;
  return [
    `# HELP ${family} ${form === "openmetrics" ? escapedValue(help) : escapedHelp(help)}`,
    `# TYPE ${family} ${type}`,
    ...samples.flatMap((sample) =>
      "upTo" in sample ? spreadLines(name, sample, form) : [line(name, sample)],
    ),
  ];
}

function spreadLines(name: string, spread: Spread, form: MetricForm): readonly string[] {
  const { labels, upTo, sum, count } = spread;
  return [
    ...upTo.map((bucket) =>
      line(`${name}_bucket`, {
        labels: { ...labels, le: boundText(bucket.bound, form) },
        value: bucket.count,
      }),
    ),
    line(`${name}_sum`, { labels, value: sum }),
    line(`${name}_count`, { labels, value: count }),
  ];
}

const line = (name: string, { labels, value }: Sample): string =>
  `${name}${labelText(labels)} ${valueText(value)}`;

function labelText(labels: MetricLabels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapedValue(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function valueText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

/** In OpenMetrics, whole bounds are floats too. */
function boundText(bound: number, form: MetricForm): string {
  const text = valueText(bound);
  return form === "openmetrics" && /^\d+$/.test(text) ? `${text}.0` : text;
}

const escapedHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");

const escapedValue = (text: string): string => escapedHelp(text).replaceAll('"', '\\"');

/**
 * The format preferred by an Accept header; the older format on a tie, or if neither is accepted. Parameters other than
 * `version` and `q` are ignored.
 */
export function formFor(accept: string | undefined): MetricForm {
  const wishes = (accept ?? "").split(",").map(readWish);
  const best = (form: MetricForm) =>
    Math.max(0, ...wishes.filter((wish) => wish.form === form).map(({ quality }) => quality));
  return best("openmetrics") > best("prometheus") ? "openmetrics" : "prometheus";
}

function readWish(text: string): { readonly form: MetricForm | null; readonly quality: number } {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const given = (name: string) =>
    parameters
      .find((parameter) => parameter.startsWith(`${name}=`))
      ?.slice(name.length + 1)
      .replaceAll('"', "");
  const version = given("version");
  const isOpen =
    type === "application/openmetrics-text" && (version === undefined || version === "1.0.0");
  const isPlain = type === "text/plain" && (version === undefined || version === "0.0.4");
  const quality = Number(given("q") ?? 1);
  return {
    form: isOpen ? "openmetrics" : isPlain ? "prometheus" : null,
    quality: Number.isFinite(quality) ? quality : 0,
  };
}
