import type { Socket } from "node:net";
import { SMTPServer } from "smtp-server";
import { expect, it, onTestFinished } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import { createSmtpMailer } from "../../src/mail/smtp.ts";
import { reply } from "../mail/support.ts";
import { ana, anEvent, aPerson, aRig, ben, cleo } from "./rig.ts";

const dan = personId(14);
const eve = personId(15);

/** A mail server with a different fault for each recipient the first time; for Ben always. */
async function aTroubledServer() {
  const seen = new Set<string>();
  const sockets = new Map<number, Socket>();
  const taken: string[] = [];
  const isFirst = (name: string) => !seen.has(name) && seen.add(name).has(name);
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    logger: false,
    disableReverseLookup: true,
    closeTimeout: 100,
    onRcptTo({ address }, _session, done) {
      const name = address.split("@", 1).join("");
      if (name === "ben") done(reply(550, "5.1.1 no such user"));
      else if (name === "ana" && isFirst(name)) done(reply(451, "4.7.1 greylisted"));
      // It never answers.
      else if (name === "cleo" && isFirst(name)) return;
      else done();
    },
    onData(stream, session, done) {
      const name = session.envelope.rcptTo.map(({ address }) => address.split("@", 1)).join();
      if (name === "dan" && isFirst(name)) {
        sockets.get(session.remotePort)?.destroy();
        return;
      }
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const id = /^Message-ID: (<.*>)\r$/im.exec(Buffer.concat(chunks).toString())?.[1];
        taken.push(`${name} ${id}`);
        done();
      });
    },
  });
  server.on("error", () => undefined);
  server.server.on("connection", (socket: Socket) => {
    if (socket.remotePort !== undefined) sockets.set(socket.remotePort, socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets.values()) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const address = server.server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const mailer = createSmtpMailer({
    url: `smtp://127.0.0.1:${port}`,
    password: null,
    timeout: Temporal.Duration.from({ milliseconds: 300 }),
  });
  onTestFinished(() => mailer.close());
  return { mailer, taken };
}

it("step() with a server that greylists, refuses, hangs and drops reaches everybody it can once, under the first Message-ID, and names the rest", async () => {
  const { mailer, taken } = await aTroubledServer();
  const rig = aRig({ mailer, now: "2026-11-24T08:45:00Z" });
  rig.store.directory.putPeople(
    [aPerson({ id: dan, name: "Dan" }), aPerson({ id: eve, name: "Eve" })],
    false,
  );
  rig.put(anEvent({ assigned: [ana, ben, cleo, dan, eve] }));
  await rig.run();
  expect(taken).toHaveLength(1);
  const ends = new Map(rig.events.map(({ person, kind }) => [person, kind]));
  expect([ana, ben, cleo, dan, eve].map((person) => ends.get(person))).toEqual([
    "deferred",
    "rejected",
    "deferred",
    "deferred",
    "sent",
  ]);
  rig.restart();
  rig.advance({ seconds: 61 });
  await rig.run();
  rig.advance({ hours: 2 });
  await rig.run();
  const ids = new Map(rig.events.map(({ person, messageId }) => [person, messageId]));
  expect(taken.toSorted()).toEqual([
    `ana ${ids.get(ana)}`,
    `cleo ${ids.get(cleo)}`,
    `dan ${ids.get(dan)}`,
    `eve ${ids.get(eve)}`,
  ]);
  const state = rig.store.ledger.state();
  expect(state).toMatchObject({ sent: 4, deferred: 0, rejected: 1 });
  expect(state.refusals).toMatchObject([
    { person: ben, address: "ben@example.com", code: 550, mails: 1 },
  ]);
  expect(state.problem).toMatch(/^550 5\.1\.1 no such user/);
});
