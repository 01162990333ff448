import Database from "better-sqlite3";
import type { DatabaseStep } from "../src/runtime.ts";

/** A disk failure: full, or read-only. */
export type DiskTrouble = "full" | "read-only";

const errors = {
  full: ["database or disk is full", "SQLITE_FULL"],
  "read-only": ["attempt to write a readonly database", "SQLITE_READONLY"],
} as const;

/** The disk of a simulated computer, as the daemon's database sees it. */
export class Disk {
  readonly #monotonic: () => number;
  #trouble: DiskTrouble | null = null;
  #troubledUntil = Number.NEGATIVE_INFINITY;
  #stepsLeft = Number.POSITIVE_INFINITY;
  #crash: () => void = () => undefined;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Starts a failure; null ends it. */
  set trouble(trouble: DiskTrouble | null) {
    if (this.#trouble) this.#troubledUntil = this.#monotonic();
    this.#trouble = trouble;
  }

  get trouble(): DiskTrouble | null {
    return this.#trouble;
  }

  /** True if a write failed within this many milliseconds before now. */
  hadTroubleWithin(ms: number): boolean {
    return this.#trouble !== null || this.#monotonic() - this.#troubledUntil <= ms;
  }

  /** Calls back in the middle of the daemon's work, at one of its next steps. */
  crashAfter(steps: number, crash: () => void): void {
    this.#stepsLeft = steps;
    this.#crash = crash;
  }

  /** Ends all failures. */
  clear(): void {
    this.trouble = null;
    this.#stepsLeft = Number.POSITIVE_INFINITY;
  }

  readonly step = (step: DatabaseStep): void => {
    this.#stepsLeft -= 1;
    if (this.#stepsLeft === 0) this.#crash();
    if (!this.#trouble || step === "committed") return;
    const [message, code] = errors[this.#trouble];
    throw new Database.SqliteError(message, code);
  };
}
