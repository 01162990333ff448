// Loaded before a command's program, whose moments are then those of the scaled clock: SOAK_CLOCK is its JSON.
import { scaledClock } from "./scaled-clock.ts";

const { start, beganMs, scale } = Object(JSON.parse(process.env["SOAK_CLOCK"] ?? "{}"));
const clock = scaledClock({
  start: String(start),
  beganMs: Number(beganMs),
  scale: Number(scale),
});
Object.defineProperty(Temporal.Now, "instant", { value: clock });
