/** One request as the sandbox saw it. `at` is monotonic ms; `status` is null until answered, and after a closed connection. */
export interface RequestEntry {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly personId: number | null;
  readonly status: number | null;
  readonly body: string;
}

// Enough for a full sweep of the largest workspace; older entries are dropped.
const capacity = 200_000;

/** Every request, including those with a fault or rejected, oldest first. */
export class RequestLog {
  #entries: RequestEntry[] = [];

  entries(): readonly RequestEntry[] {
    return [...this.#entries];
  }

  clear(): void {
    this.#entries = [];
  }

  /** The maximum number of requests within any window of `ms` milliseconds. */
  maxInWindow(ms: number): number {
    let most = 0;
    let first = 0;
    for (const [index, entry] of this.#entries.entries()) {
      while ((this.#entries[first]?.at ?? entry.at) <= entry.at - ms) first += 1;
      most = Math.max(most, index - first + 1);
    }
    return most;
  }

  /** Adds a request that has just arrived; later facts are added through the returned entry. */
  arrived(request: Omit<RequestEntry, "personId" | "status" | "body">): OpenEntry {
    if (this.#entries.length >= capacity) this.#entries = this.#entries.slice(capacity / 10);
    const entry = new OpenEntry(request);
    this.#entries.push(entry);
    return entry;
  }
}

/** The entry of a request in progress. */
export class OpenEntry implements RequestEntry {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  personId: number | null = null;
  status: number | null = null;
  body = "";

  constructor(request: Omit<RequestEntry, "personId" | "status" | "body">) {
    this.at = request.at;
    this.method = request.method;
    this.path = request.path;
    this.query = request.query;
    this.headers = request.headers;
  }
}
