import { unreachable } from "../domain/result.ts";
import { messageOf } from "./answer.ts";
import type { Failure } from "./failure.ts";
import { readRetryAfter } from "./retry-after.ts";
import type { Reply } from "./transport.ts";

/**
 * What is known about the request that a reply belongs to. `repeatable`: carrying it out twice does no harm. `lost`:
 * an earlier try may have been carried out although no good answer came. `gone`: what "there is no such thing" then
 * means: `done` for a deletion, `unknown` for a move, whose old path answers so after it has worked.
 */
export interface Standing {
  readonly request: string;
  readonly repeatable: boolean;
  readonly lost: boolean;
  readonly gone: "refused" | "done" | "unknown";
  readonly now: Temporal.Instant;
}

/** `again`: another try may help; `lost` then tells whether this one may have been carried out. */
export type Verdict =
  | { readonly kind: "good"; readonly body: string | null; readonly damage: string }
  | { readonly kind: "ended"; readonly failure: Failure }
  | { readonly kind: "limited"; readonly retryAfterMs: number | null }
  | {
      readonly kind: "again";
      readonly status: number | null;
      readonly message: string;
      readonly retryAfterMs: number | null;
      readonly lost: boolean;
    };

/** Whether a reply leaves open what has become, or will become, of the request. */
export function isUnanswered(reply: Reply): boolean {
  if (reply.kind !== "answer") return reply.sent;
  return isFault(reply.status);
}

const isFault = (status: number): boolean => status >= 500 || status === 408;

/** What one reply means for its request. */
export function judge(reply: Reply, standing: Standing): Verdict {
  const { request, repeatable } = standing;
  switch (reply.kind) {
    case "aborted":
      return reply.sent && !repeatable
        ? unknown(standing, "given up while the request was under way")
        : ended({ kind: "aborted", request });
    case "broken": {
      const { message, sent } = reply;
      if (sent && !repeatable) return unknown(standing, message);
      return { kind: "again", status: null, message, retryAfterMs: null, lost: sent };
    }
    case "answer":
      return judgeAnswer(reply, standing);
    default:
      return unreachable(reply);
  }
}

function judgeAnswer(reply: Extract<Reply, { kind: "answer" }>, standing: Standing): Verdict {
  const { status, body } = reply;
  const { request } = standing;
  if (status >= 200 && status < 300) return { kind: "good", body, damage: reply.damage };

  const retryAfterMs = readRetryAfter(reply.headers, standing.now);
  if (status === 429) return { kind: "limited", retryAfterMs };

  const message = messageOf(status, body);
  if (isFault(status)) {
    if (!standing.repeatable) return unknown(standing, `${message} (${status})`);
    return { kind: "again", status, message, retryAfterMs, lost: true };
  }
  if ((status === 404 || status === 410) && standing.lost) {
    if (standing.gone === "done") return { kind: "good", body: null, damage: "" };
    if (standing.gone === "unknown") return unknown(standing, `${message} (${status})`);
  }
  if (status >= 300 && status < 400) {
    return ended({ kind: "refused", status, request, message: redirectMessage(reply.headers) });
  }
  return ended({ kind: "refused", status, message, request });
}

const ended = (failure: Failure): Verdict => ({ kind: "ended", failure });

const unknown = ({ request }: Standing, message: string): Verdict =>
  ended({ kind: "unknown-outcome", message, request });

// Only host and path of the target are told: its query may hold a one-time secret.
function redirectMessage({ location }: { readonly location: string | null }): string {
  const target = location === null ? null : URL.parse(location, "https://same-host.invalid");
  if (!target) return "the address redirects to nowhere; check service.baseUrl";
  const host = target.hostname === "same-host.invalid" ? "" : target.origin;
  return `the address redirects to ${host}${target.pathname}; redirects are not followed, check service.baseUrl`;
}
