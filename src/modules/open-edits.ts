import { inTurns } from "@dayferry/event-loop";
import { sourceOf } from "../domain/source.ts";
import { createEditActions } from "../edits/actions/edit-actions.ts";
import { createDrain, type Drain } from "../edits/delivery/drain.ts";
import { createEditWaker } from "../edits/delivery/edit-waker.ts";
import { createAcceptForm } from "../edits/forms/accept-form.ts";
import { type AcceptDeps, createAcceptFile } from "../edits/intake/accept.ts";
import { forgetOld } from "../edits/upkeep.ts";
import { createServiceActions } from "../edits/workspace/service-actions.ts";
import { createCalendarReader } from "../ics/read/calendar-reader.ts";
import { noteAnswer } from "../troubles/zone-answers.ts";
import type { JobOptions, LoopJob } from "./module.ts";
import type { Base } from "./open-base.ts";
import { channelJobs, openChannels } from "./open-channels.ts";
import type { ServiceModule } from "./open-service.ts";

/** Edits: from every channel into the journal, and from there to the service. */
export type EditsModule = ReturnType<typeof openEdits>;

/** How many loops deliver edits concurrently. */
const drains = 4;
const idle = Temporal.Duration.from({ seconds: 5 });
/** With shorter pauses, loops would poll the journal constantly if times differ by rounding. */
const shortestRest = Temporal.Duration.from({ milliseconds: 50 });
/** How often the service is probed while it is down or rejects a key. */
const wakerRest = Temporal.Duration.from({ seconds: 3 });
const minute = Temporal.Duration.from({ minutes: 1 });
const day = Temporal.Duration.from({ hours: 24 });

export function openEdits(base: Base, service: ServiceModule) {
  const { config, store, clock, eventLoop, wakes, log } = base;
  const { upstream, sync, withOwnKey } = service;
  const zone = config.service.timeZone;
  const { assignees, tasks } = config.feeds;
  const accept: AcceptDeps = {
    store,
    zone,
    policy: { labels: config.edits.labels, mode: config.edits.mode },
    withOwnKey,
    clock,
    feeds: { assignees, tasks, webUrl: config.service.webUrl },
    quota: config.service.quota,
    onAccepted: () => wakes.drain.notify(),
  };
  const reader = createCalendarReader({ zone, pause: () => eventLoop.share() });
  const acceptFile = createAcceptFile({ ...accept, eventLoop, reader });
  const drain = openDrain(base, service);
  const editWaker = createEditWaker({
    store,
    upstream,
    clock,
    onWoken(edits) {
      log.info("service reachable again; delivering edits", { edits });
      wakes.drain.notify();
    },
    onBack() {
      sync.recover();
      wakes.drain.notify();
    },
  });
  const channels = openChannels(base, { accept, acceptFile, reader, sync });
  return {
    accept,
    acceptFile,
    /** Handles forms that people submit on pages. */
    acceptForm: createAcceptForm(accept),
    reader,
    editActions: createEditActions({
      store,
      mode: config.edits.mode,
      onReleased: () => wakes.drain.notify(),
    }),
    drain,
    editWaker,
    workspace: createServiceActions({ store, upstream, hurry: (source) => sync.hurry(source) }),
    channels,
    closeEdits(): void {
      try {
        drain.close();
      } catch (error) {
        // The next start settles edits whose responses could not be stored, as after a crash.
        log.error("last responses could not be stored", { error });
      }
    },
    jobs: ({ signal }: JobOptions): readonly LoopJob[] => [
      ...drainJobs(base, { drain, upstream }),
      { name: "edit waker", step: editWaker.step, wake: wakes.editWaker, idle: wakerRest },
      upkeepJob(base, service),
      ...channelJobs(channels, signal),
    ],
  };
}

function openDrain(base: Base, { upstream, sync }: ServiceModule): Drain {
  const { config, store, clock, random, tallies, wakes, log } = base;
  return createDrain({
    store,
    upstream,
    conflicts: config.edits.conflicts,
    clock,
    random,
    onEvent({ kind, ...fields }) {
      tallies.edits.add({ ending: kind });
      log.info(`edit ${kind}`, fields);
      if (kind === "parked" || kind === "frozen") wakes.notices.notify();
    },
    onMissing({ base: missing }, sources) {
      for (const source of sources) sync.hurry(source);
      sync.hurry(sourceOf(missing));
    },
    onApplied(edit) {
      const { answer, base: had, before, patch, createdAt } = edit;
      noteAnswer(edit, store.troubles, config.service.timeZone);
      tallies.editDelays.add(createdAt.until(clock()).total("seconds"));
      sync.hurry(sourceOf(answer ?? had));
      // Until the old source is read again, it may still show an item that was moved away.
      if (patch.place) sync.hurry(sourceOf(before ?? had));
      wakes.reminders.notify();
    },
  });
}

function drainJobs(
  { store, clock, wakes }: Base,
  { drain, upstream }: Pick<EditsModule & ServiceModule, "drain" | "upstream">,
): readonly LoopJob[] {
  const job: LoopJob = {
    name: "drain",
    step: drain.step,
    wake: wakes.drain,
    idle: () =>
      upstream.isOut() || upstream.takesNoWrites()
        ? idle
        : restUntil([store.journal.nextAt(), store.unanswered.nextLookAt()], clock()),
  };
  return Array.from({ length: drains }, () => job);
}

/** Time until something is due, such as the next attempt of an edit; between `shortestRest` and `idle`. */
function restUntil(
  due: readonly (Temporal.Instant | null)[],
  now: Temporal.Instant,
): Temporal.Duration {
  const waits = due.flatMap((at) => (at ? [now.until(at)] : []));
  const [left = idle] = waits.toSorted((a, b) => Temporal.Duration.compare(a, b));
  if (Temporal.Duration.compare(left, shortestRest) < 0) return shortestRest;
  return Temporal.Duration.compare(left, idle) < 0 ? left : idle;
}

/** Deletes old edits once a day. */
function upkeepJob({ store, clock, eventLoop, log }: Base, { upstream }: ServiceModule): LoopJob {
  let isUpkept = false;
  return {
    name: "upkeep",
    idle: () => (isUpkept ? day : minute),
    async step() {
      // With a clock that is years ahead, everything would seem old, so the clock must agree with the service's.
      const lead = upstream.clockLead();
      isUpkept = lead !== null && Temporal.Duration.compare(lead.abs(), day) < 0;
      if (!isUpkept) return "idle";
      const edits = await inTurns(forgetOld({ store, clock }), eventLoop);
      if (edits > 0) log.info("old edits deleted", { edits });
      return "idle";
    },
  };
}
