import { unreachable } from "../domain/result.ts";
import { stored } from "../texts/stored.ts";

/**
 * Why a call to the service returned no value. `request` is `METHOD /path`, never with a key. `refused`: the service rejected
 * the request (3xx or 4xx). `rate-limited`: still 429 after the rate limiter's own waiting. `unavailable`: 5xx, reset or
 * timeout after the retries; `status` is null without an answer, `retryAfter` null if not given. `unreadable`: the answer is
 * invalid. `service-refused`: status 200 with `{code, message}`. `outdated`: the answer is older than an earlier one.
 * `unknown-outcome`: a request that must not simply be repeated may or may not have been carried out, now or later.
 */
export type Failure =
  | Failed<"refused", { status: number; message: string }>
  | Failed<"rate-limited", { retryAfter: Temporal.Duration }>
  | Failed<
      "unavailable",
      { status: number | null; message: string; retryAfter: Temporal.Duration | null }
    >
  | Failed<"unreadable", { message: string }>
  | Failed<"service-refused", { code: number; message: string }>
  | Failed<"unknown-outcome", { message: string }>
  | Failed<"outdated">
  | Failed<"aborted">;

type Failed<Kind extends string, Facts = unknown> = {
  readonly kind: Kind;
  readonly request: string;
} & Readonly<Facts>;

/** True if the service says that it does not exist. */
export const isMissing = (failure: Failure): boolean =>
  failure.kind === "refused" && (failure.status === 404 || failure.status === 410);

/** One sentence for people, never with a key. */
export function describeFailure(failure: Failure): string {
  const { request } = failure;
  switch (failure.kind) {
    case "refused":
      return refusalOf(failure);
    case "rate-limited":
      return stored("problem.overLimit", {
        seconds: Math.ceil(failure.retryAfter.total("seconds")),
        what: request,
      });
    case "unavailable":
      return unavailableText(failure);
    case "unreadable":
      return stored("problem.unreadable", { what: request, message: failure.message });
    case "service-refused":
      return stored("problem.rejected", {
        what: `${failure.message} (${request}, code ${failure.code})`,
      });
    case "unknown-outcome":
      return stored("problem.unknownOutcome", { what: request, message: failure.message });
    case "outdated":
      return stored("problem.outdated", { what: request });
    case "aborted":
      return stored("problem.aborted", { what: request });
    default:
      return unreachable(failure);
  }
}

/** Problems of the key or the URL have messages of their own. All others give the service's message. */
function refusalOf({ status, message, request }: Extract<Failure, { kind: "refused" }>): string {
  const what = `${request} (${status}): ${message}`;
  if (status === 401) return stored("problem.keyRejected", { what });
  if (status === 403) return stored("problem.keyDenied", { what });
  if (status === 404 || status === 410) return stored("problem.noResource", { what });
  return stored("problem.rejected", { what: `${message} (${request}, ${status})` });
}

/** A sentence of `describeFailure` for people who do not run Dayferry: without the request and its status. */
export const withoutRequest = (text: string): string =>
  text
    .replaceAll(/ \((?:[A-Z]+) \/\S*, (?:code )?\d+\)/g, "")
    .replaceAll(/ what is named in [A-Z]+ \/\S* \(\d+\)/g, " it")
    .replaceAll(/: [A-Z]+ \/\S*(?=: )/g, "")
    .replaceAll(/\b(?:GET|POST|PUT|PATCH|DELETE) \/\S*?(?: \(\d+\))?(?=[:\s]|$)/g, "it");

function unavailableText(failure: Extract<Failure, { kind: "unavailable" }>): string {
  const what = `${failure.request}: ${failure.message}`;
  return failure.status === null
    ? stored("problem.unavailable", { what })
    : stored("problem.unavailableStatus", { status: failure.status, what });
}
