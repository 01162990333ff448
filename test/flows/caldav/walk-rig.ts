import { createServer } from "node:http";
import express from "express";
import { expect } from "vitest";
import { createDavRouter } from "../../../src/caldav/router.ts";
import { personId } from "../../../src/domain/ids.ts";
import { type WalkRig, walkRig } from "../walk-rig.ts";
import { CalendarProgram, LaterError } from "./program.ts";
import { CaldavWorkspace } from "./workspace.ts";

/** Whose program comes third: the first person's telephone, or that of somebody who may only read. */
export type Third = "telephone" | "reader";

/** How a walk goes. `isOrderly`: one thing after another, so that the same steps end the same; else all at once. */
export interface Setting {
  readonly conflicts: "ask" | "theirs" | "ours";
  readonly mode: "apply" | "review";
  readonly third: Third;
  readonly isOrderly: boolean;
}

/** The rooms of a daemon with the CalDAV door open, three programs of two or three people, and a workspace with a few items. */
export async function caldavRig({ third, isOrderly, ...edits }: Setting) {
  const rig = await walkRig(edits, (sandbox) => {
    const client = sandbox.workspace.people().find(({ role }) => role === "client");
    return client ? [{ id: client.id, calendars: "read" }] : [];
  });
  const workspace = new CaldavWorkspace(rig.sandbox, rig.clock);
  const kinds = ["event", "milestone", "task", "task", "subtask", "event", "task"] as const;
  for (const [at, kind] of kinds.entries()) {
    workspace.create(kind, { word: `of kind ${kind}`, day: 5 * at });
  }
  // On a busy machine a request may take longer than the rig waits.
  while ((await rig.sweep()).failures.length > 0);
  const door = await openDoor(rig);
  const [first, second] = workspace.people;
  const passwords = rig.rooms.accessControl.passwords;
  const passwordOf = new Map<number, string>();
  const loginOf = (person: number) => {
    const password = passwordOf.get(person) ?? passwords.issue(personId(person));
    passwordOf.set(person, password);
    return { port: door.port, login: String(person), password };
  };
  const programs = [
    new CalendarProgram({ ...loginOf(first), manner: "tokens", agent: "DAVx5/1" }),
    new CalendarProgram({ ...loginOf(second), manner: "ctags", agent: "Thunderbird/2" }),
    third === "reader"
      ? new CalendarProgram({
          ...loginOf(workspace.reader),
          manner: "tokens",
          agent: "Reader/4",
          isReader: true,
        })
      : new CalendarProgram({ ...loginOf(first), manner: "ctags", agent: "dataaccessd/3" }),
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
    mode: edits.mode,
    /** Lets something go on beside what follows, or before it. */
    async beside(kind: "drain" | "sweep"): Promise<void> {
      rig.beside(kind);
      if (isOrderly) await rig.rest();
    },
    async close(): Promise<void> {
      await door.close();
      await rig.close();
    },
  };
}

export type CaldavRig = Awaited<ReturnType<typeof caldavRig>>;

/** What a program does unless it is asked to come back later; whether it was done. */
export async function unlessLater(act: () => Promise<unknown>): Promise<boolean> {
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
