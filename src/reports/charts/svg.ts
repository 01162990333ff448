import { escapeMarkup } from "../formats/markup.ts";

/** Shapes as SVG text; numbers are rounded to a tenth, texts escaped. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

export function textAt(
  { x, y }: Place,
  {
    text,
    anchor = "start",
    look = "",
  }: {
    readonly text: string;
    readonly anchor?: "start" | "middle" | "end";
    readonly look?: string;
  },
): string {
  const style = look === "" ? "" : ` class="${look}"`;
  return `<text x="${tenth(x)}" y="${tenth(y)}" text-anchor="${anchor}"${style}>${escapeMarkup(text)}</text>`;
}

/** `hint` is shown under the pointer. */
export function box(
  { x, y, width, height }: Place & { readonly width: number; readonly height: number },
  {
    look,
    hint,
    opacity = 1,
  }: { readonly look: string; readonly hint: string; readonly opacity?: number },
): string {
  const see = opacity === 1 ? "" : ` fill-opacity="${opacity.toFixed(2)}"`;
  return `<rect x="${tenth(x)}" y="${tenth(y)}" width="${tenth(width)}" height="${tenth(height)}" rx="2" class="${look}"${see}><title>${escapeMarkup(hint)}</title></rect>`;
}

export function path(
  points: readonly Place[],
  { look, hint }: { readonly look: string; readonly hint: string },
): string {
  const [first, ...rest] = points.map(({ x, y }) => `${tenth(x)} ${tenth(y)}`);
  if (first === undefined) return "";
  return `<path d="M${[first, ...rest].join(" L")}" class="${look}"><title>${escapeMarkup(hint)}</title></path>`;
}

const tenth = (value: number): string => String(Math.round(value * 10) / 10);
