import { InvalidArgumentError } from "commander";
import { isId } from "../domain/ids.ts";
import { readFeedName } from "../feeds/feed-request.ts";

/** Parsers of option values; invalid ones are wrong usage. */

export function readId(text: string): number {
  const id = Number(text);
  if (!isId(id)) throw new InvalidArgumentError("It must be an id: a positive whole number.");
  return id;
}

export function readName(text: string): string {
  const name = readFeedName(text);
  if (name.ok) return name.value;
  throw new InvalidArgumentError(`It must be a name: ${name.failure}.`);
}

export function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || text.trim() === "") {
    throw new InvalidArgumentError("It must be a port: 0 to 65535.");
  }
  return port;
}

export function readSeed(text: string): number {
  const seed = Number(text);
  if (!Number.isSafeInteger(seed) || text.trim() === "") {
    throw new InvalidArgumentError("It must be a whole number.");
  }
  return seed;
}

export function readRows(text: string): number {
  const rows = Number(text);
  if (Number.isSafeInteger(rows) && rows > 0) return rows;
  throw new InvalidArgumentError("It must be a positive whole number.");
}

export function durationOption(text: string): Temporal.Duration {
  try {
    const duration = Temporal.Duration.from(text);
    if (duration.sign > 0) return duration;
  } catch {
    // Reported below, together with durations that are not positive.
  }
  throw new InvalidArgumentError("It must be an ISO 8601 duration, such as PT30S.");
}
