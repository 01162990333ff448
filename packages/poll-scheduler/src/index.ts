export { ceilingOf, isWithin, maxAgePart, mostWithin } from "./ceiling.ts";
export { type Clock, newClock } from "./day-shape.ts";
export { DueHeap } from "./due-heap.ts";
export {
  type CommonDump,
  type Recalled,
  recalledSeconds,
  Scheduler,
  type SourceDump,
  schedulerDefaults,
} from "./scheduler.ts";
