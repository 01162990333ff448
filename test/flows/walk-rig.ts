import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Rooms } from "../../src/build-daemon.ts";
import { listId, projectId } from "../../src/domain/ids.ts";
import type { Acceptance } from "../../src/edits/intake/plan-answer.ts";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { roomsOn } from "../support/rooms.ts";
import { testSandbox } from "../support/sandbox.ts";
import { WalkTime } from "./walk-time.ts";
import { WalkWorkspace } from "./walk-workspace.ts";

const kept = ["dayferry.sqlite", "dayferry.sqlite-wal", "feed-key", "admin-token"];
const mostRounds = 60;

type Part = Readonly<Record<string, unknown>>;

/**
 * The rooms of a daemon in this process on a real file and a real sandbox; time moves by hand only. `edits`, `people`:
 * those parts of the configuration.
 */
export async function walkRig(
  edits: Part = {},
  people: (sandbox: Sandbox) => readonly Part[] = () => [],
) {
  const time = new WalkTime("2026-11-20T12:00:00Z");
  const { clock } = time;
  const sandbox = await testSandbox({
    clock,
    later: time.later,
    quota: { requests: 10_000, perMs: 1000 },
  });
  const folder = mkdtempSync(join(tmpdir(), "dayferry-walk-"));
  const workspace = new WalkWorkspace(sandbox, clock);
  let lives = 0;
  let dataDir = "";
  let life = begin();

  function begin() {
    lives += 1;
    const before = dataDir;
    dataDir = join(folder, String(lives));
    mkdirSync(dataDir);
    for (const name of kept) {
      if (existsSync(join(before, name))) copyFileSync(join(before, name), join(dataDir, name));
    }
    const rooms = open();
    rooms.drain.recover();
    const work = new Set<Promise<unknown>>();
    const requestsBefore = sandbox.requests.entries().length;
    return { rooms, stop: new AbortController(), work, sweeping: false, requestsBefore };
  }

  /** Until what has left has arrived: time stands still on the wire, or a request would be under way for minutes of a walk. */
  async function arrival({ rooms, requestsBefore }: typeof life): Promise<void> {
    for (let turns = 0; turns < 2000; turns += 1) {
      const arrived = sandbox.requests.entries().length - requestsBefore;
      if (arrived >= rooms.upstream.gate.state().sent) return;
      await nextTurn();
    }
  }

  function open(): Rooms {
    return roomsOn(sandbox, {
      folder,
      config: {
        dataDir,
        service: { quota: { requests: 10_000, per: "PT1S" }, timeout: "PT0.15S" },
        feeds: { past: "P50Y", future: "P50Y", completed: "P50Y", private: "show" },
        edits,
        people: people(sandbox),
      },
      clock,
      random: () => 0,
    });
  }

  async function sweep() {
    const { rooms, stop } = life;
    return rooms.sync.sweep({ signal: stop.signal });
  }

  async function sweepBeside(own: typeof life): Promise<void> {
    if (own.sweeping) return;
    own.sweeping = true;
    try {
      await sweep();
    } finally {
      own.sweeping = false;
    }
  }

  /** Carries out what may go now, and what may go after the pauses that the journal asks for; sweeps go on meanwhile. */
  async function drainAll(): Promise<void> {
    const { drain, store } = life.rooms;
    let sweptAt = clock();
    for (;;) {
      if ((await drain.step(life.stop.signal)) === "worked") continue;
      const [next] = [store.journal.nextAt(), store.unanswered.nextLookAt()]
        .flatMap((at) => at ?? [])
        .toSorted((a, b) => Temporal.Instant.compare(a, b));
      if (!next) return;
      if (Temporal.Instant.compare(next, clock()) > 0) clock.set(next.toString());
      clock.advance({ milliseconds: 1 });
      if (clock().since(sweptAt).total("minutes") < 10) continue;
      await sweep();
      sweptAt = clock();
    }
  }

  return {
    sandbox,
    workspace,
    clock,
    get rooms() {
      return life.rooms;
    },
    /** Lets something go on beside what follows. */
    beside(kind: "drain" | "sweep"): void {
      const { rooms, work, stop } = life;
      const going = kind === "drain" ? rooms.drain.step(stop.signal) : sweepBeside(life);
      const ended = going.finally(() => work.delete(ended));
      work.add(ended);
    },
    /** Until nothing goes on any more that was begun beside. */
    async rest(): Promise<void> {
      await Promise.all(life.work);
    },
    feed(): string {
      const { feeds } = life.rooms;
      feeds.ensure();
      const feed = feeds.list().find((one) => one.projectId === workspace.place.project);
      return feed
        ? (feeds
            .open(feed.path.split("/")[2] ?? "")
            ?.body()
            .toString() ?? "")
        : "";
    },
    upload(text: string): Promise<Acceptance> {
      const { project, list } = workspace.place;
      return life.rooms.acceptFile({
        bytes: Buffer.from(text),
        channel: "upload",
        actor: null,
        projectId: projectId(project),
        listId: listId(list),
        dryRun: false,
      });
    },
    /** Goes on from the files as they are at this moment, with whatever is under way, as after a power cut. */
    async crash(): Promise<void> {
      const old = life;
      await arrival(old);
      life = begin();
      old.stop.abort();
      await Promise.all(old.work);
      await old.rooms.close();
    },
    sweep,
    /** Lets everything come to rest with nothing going wrong any more. */
    async settle(): Promise<void> {
      sandbox.faults.clear();
      for (let quiet = 0, round = 0; quiet < 2; round += 1) {
        if (round > mostRounds) throw new Error("it does not come to rest");
        await Promise.all(life.work);
        await drainAll();
        const { added, changed, buried, failures } = await sweep();
        const { pending = 0, claimed = 0 } = life.rooms.store.journal.counts();
        const isQuiet = added + changed + buried + failures.length + pending + claimed === 0;
        quiet = isQuiet ? quiet + 1 : 0;
        clock.advance({ minutes: 16 });
        await nextTurn();
      }
    },
    async close(): Promise<void> {
      life.stop.abort();
      await Promise.allSettled(life.work);
      await life.rooms.close();
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type WalkRig = Awaited<ReturnType<typeof walkRig>>;
