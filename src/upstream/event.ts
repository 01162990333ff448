/** What happens on the way to the service, for log and metrics. Never holds a key, a body or a query. */
export type UpstreamEvent =
  | {
      readonly kind: "answered";
      readonly request: string;
      readonly status: number;
      readonly attempt: number;
      readonly took: Temporal.Duration;
    }
  | {
      readonly kind: "broken";
      readonly request: string;
      readonly attempt: number;
      readonly took: Temporal.Duration;
      readonly message: string;
    }
  | {
      readonly kind: "retrying";
      readonly request: string;
      readonly attempt: number;
      readonly after: Temporal.Duration;
      readonly message: string;
    }
  | {
      readonly kind: "rate-limited";
      readonly request: string;
      readonly pause: Temporal.Duration;
      readonly share: number;
    }
  /** The service answers again after it had failed as a whole, or takes writes again. */
  | { readonly kind: "back" }
  /** What the next process should know of the quota could not be kept; requests go on. */
  | { readonly kind: "history-unkept"; readonly error: unknown };
