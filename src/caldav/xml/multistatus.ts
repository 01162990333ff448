import { documentAround, escapeText, hrefElement, statusElement } from "./write.ts";

/** Properties of one response that share a status. */
export interface Propstat {
  readonly status: number;
  /** The properties' elements, as XML. */
  readonly props: string;
  /** What DAV:error holds, as XML: why, as a precondition; "" for none. */
  readonly error?: string;
}

export interface Multistatus {
  /** Written by `response` and `statusResponse`. */
  readonly responses: Iterable<string>;
  /** Of sync-collection. */
  readonly syncToken?: string;
}

/** The body of a 207, a piece for each response; an empty one stays an empty piece. Source: RFC 4918 14.16, RFC 6578 6.4. */
export function* multistatus({ responses, syncToken }: Multistatus): Generator<string> {
  const { open, close } = documentAround("d:multistatus");
  yield open;
  let before = "";
  for (const written of responses) {
    yield written === "" ? "" : before + written;
    if (written !== "") before = "\n";
  }
  if (syncToken !== undefined) yield `<d:sync-token>${escapeText(syncToken)}</d:sync-token>`;
  yield close;
}

/**
 * One resource and its properties. The path is percent-encoded. Without any propstat an empty one with 200 is written,
 * as a response must hold one. Source: RFC 4918 14.24, 14.22.
 */
export function response(path: string, propstats: readonly Propstat[]): string {
  const written = propstats.length === 0 ? okPropstat("") : propstats.map(writePropstat).join("");
  return `<d:response>${hrefElement(path)}${written}</d:response>`;
}

/** One resource and its status as a whole; `error` is what DAV:error holds, as XML. Source: RFC 4918 14.24. */
export function statusResponse(
  path: string,
  { status, error = "" }: { readonly status: number; readonly error?: string },
): string {
  return `<d:response>${hrefElement(path)}${statusElement(status)}${errorElement(error)}</d:response>`;
}

const okStatus = statusElement(200);

/** The usual propstat, without the price of looking things up. */
const okPropstat = (props: string): string =>
  `<d:propstat>${propElement(props)}${okStatus}</d:propstat>`;

const propElement = (props: string): string =>
  props === "" ? "<d:prop/>" : `<d:prop>${props}</d:prop>`;

function writePropstat({ status, props, error = "" }: Propstat): string {
  if (status === 200 && error === "") return okPropstat(props);
  return `<d:propstat>${propElement(props)}${statusElement(status)}${errorElement(error)}</d:propstat>`;
}

const errorElement = (inner: string): string => (inner === "" ? "" : `<d:error>${inner}</d:error>`);
