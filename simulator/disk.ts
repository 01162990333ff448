import Database from "better-sqlite3";
import type { DatabaseStep } from "../src/runtime.ts";

/** What is wrong with a disk: no room is left, or nothing may be written. */
export type DiskTrouble = "full" | "read-only";

const errors = {
  full: ["database or disk is full", "SQLITE_FULL"],
  "read-only": ["attempt to write a readonly database", "SQLITE_READONLY"],
} as const;

/** The disk of a simulated computer, as the database of its daemon meets it. */
export class Disk {
  readonly #monotonic: () => number;
  #trouble: DiskTrouble | null = null;
  #troubledUntil = Number.NEGATIVE_INFINITY;
  #stepsLeft = Number.POSITIVE_INFINITY;
  #crash: () => void = () => undefined;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** From now on nothing can be written; null ends that. */
  set trouble(trouble: DiskTrouble | null) {
    if (this.#trouble) this.#troubledUntil = this.#monotonic();
    this.#trouble = trouble;
  }

  get trouble(): DiskTrouble | null {
    return this.#trouble;
  }

  /** Whether something could not be written within so many milliseconds before now. */
  hadTroubleWithin(ms: number): boolean {
    return this.#trouble !== null || this.#monotonic() - this.#troubledUntil <= ms;
  }

  /** Calls back in the middle of what the daemon does, at one of its next steps. */
  crashAfter(steps: number, crash: () => void): void {
    this.#stepsLeft = steps;
    this.#crash = crash;
  }

  /** Nothing goes wrong any more. */
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
