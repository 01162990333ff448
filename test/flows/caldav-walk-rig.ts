import { createServer } from "node:http";
import express from "express";
import { expect } from "vitest";
import { createDavRouter } from "../../src/caldav/router.ts";
import { personId } from "../../src/domain/ids.ts";
import { CalendarProgram, LaterError } from "./caldav-program.ts";
import { CaldavWorkspace } from "./caldav-workspace.ts";
import { type WalkRig, walkRig } from "./walk-rig.ts";

/** The rooms of a daemon with the CalDAV door open, two people's programs, and a workspace with a few items. */
export async function caldavRig(conflicts: "ask" | "theirs" | "ours") {
  const rig = await walkRig({ conflicts });
  const workspace = new CaldavWorkspace(rig.sandbox, rig.clock);
  const kinds = ["event", "milestone", "task", "task", "subtask", "event", "task"] as const;
  for (const [at, kind] of kinds.entries()) {
    workspace.create(kind, { word: `of kind ${kind}`, day: 5 * at });
  }
  await rig.sweep();
  const door = await openDoor(rig);
  const [first, second] = workspace.people;
  const passwords = rig.rooms.reception.passwords;
  const setting = (person: number) => ({
    port: door.port,
    login: String(person),
    password: passwords.issue(personId(person)),
  });
  const programs = [
    new CalendarProgram({ ...setting(first), manner: "tokens", agent: "Follower/1" }),
    new CalendarProgram({ ...setting(second), manner: "ctags", agent: "Comparer/2" }),
  ] as const;
  for (const program of programs) {
    await program.discover();
    expect(program.calendars.size).toBe(9);
    for (const slug of program.calendars.keys()) await program.sync(slug, {});
  }
  return {
    rig,
    workspace,
    programs,
    async close(): Promise<void> {
      await door.close();
      await rig.close();
    },
  };
}

export type CaldavRig = Awaited<ReturnType<typeof caldavRig>>;

/** What a program does unless it is asked to come back later; whether it was done. */
export async function unlessLater(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (error instanceof LaterError) return false;
    throw error;
  }
}

/** One address for all lives of the daemon. */
async function openDoor(rig: WalkRig) {
  let life: { readonly rooms: WalkRig["rooms"]; readonly app: express.Express } | null = null;
  function present(): express.Express {
    const { rooms } = rig;
    if (life?.rooms === rooms) return life.app;
    const app = express();
    const publicUrl = () => "https://calendar.example.com";
    app.use(createDavRouter({ ...rooms.dav, publicUrl, log: rooms.log }));
    life = { rooms, app };
    return app;
  }
  const server = createServer((request, response) => void present()(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
