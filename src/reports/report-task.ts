import { fail, ok, type Result } from "../domain/result.ts";
import { isFormat } from "./formats/format.ts";
import type { Rendered, RenderFailure, RenderOptions } from "./render-report.ts";

/** A rendered report whose text has come over from another thread, as octets, so that nothing is copied. */
export interface AsideAnswer extends Omit<Rendered, "text" | "notes"> {
  readonly body: Uint8Array;
}

/** A task as threads hand it over: plain values only. */
export const writeTask = ({ now, ...rest }: RenderOptions): unknown => ({
  ...rest,
  now: now.toString(),
});

export function readTask(data: unknown): RenderOptions {
  const member = membersOf(data);
  const wish = membersOf(member("wish"));
  const said = (name: string) => {
    const value = wish(name);
    return typeof value === "string" ? value : null;
  };
  const format = String(member("format"));
  if (!isFormat(format)) throw new Error(`"${format}" is no format`);
  const limit = wish("limit");
  return {
    file: String(member("file")),
    zone: String(member("zone")),
    now: Temporal.Instant.from(String(member("now"))),
    format,
    wish: {
      name: String(wish("name")),
      project: said("project"),
      person: said("person"),
      label: said("label"),
      from: said("from"),
      to: said("to"),
      since: said("since"),
      asOf: said("asOf"),
      limit: typeof limit === "number" ? limit : null,
    },
  };
}

export function writeAnswer(answer: Result<Rendered, RenderFailure>): {
  readonly message: unknown;
  readonly transfer: ArrayBuffer[];
} {
  if (!answer.ok) return { message: answer.failure, transfer: [] };
  const { text, ...rest } = answer.value;
  const body = new TextEncoder().encode(text);
  return { message: { ...rest, body }, transfer: [body.buffer] };
}

export function readAnswer(message: unknown): Result<AsideAnswer, RenderFailure> {
  const member = membersOf(message);
  const [kind, body] = [member("kind"), member("body")];
  if (kind === "unknown" || kind === "usage" || kind === "unreadable") {
    return fail({ kind, message: String(member("message")) });
  }
  return ok({
    body: body instanceof Uint8Array ? body : new Uint8Array(),
    mediaType: String(member("mediaType")),
    fileName: String(member("fileName")),
    freshness: String(member("freshness")),
  });
}

function membersOf(value: unknown): (name: string) => unknown {
  const members = new Map<string, unknown>(Object.entries(Object(value)));
  return (name) => members.get(name);
}
