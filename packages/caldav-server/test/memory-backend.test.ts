import { createServer } from "node:http";
import express from "express";
import { onTestFinished } from "vitest";
import { callHttp } from "../../../test/support/http-call.ts";
import { createCaldavServer, createMemoryBackend } from "../src/index.ts";
import { protocol } from "./protocol/protocol.ts";
import {
  events,
  object,
  tasks,
  vevent,
  type World,
  type WorldSettings,
  worldOn,
} from "./protocol/world.ts";

protocol("a backend in memory", startMemory);

async function startMemory(settings: WorldSettings = {}): Promise<World> {
  const { maxSize = 1_000_000, readOnly = [], publicUrl } = settings;
  const clock = () => Temporal.Instant.from("2026-11-21T09:00:00Z");
  const zone = "Europe/Berlin";
  const person = { id: 11, name: "Ana", email: "ana@example.com", password: "secret" };
  const inProject = { name: "Website", components: ["VEVENT"] } as const;
  const inList = { name: "Website: To do", components: ["VTODO"] } as const;
  const refusesNew = "new items belong to a project";
  let access: "read" | "write" = "write";
  const backend = createMemoryBackend({
    people: [
      {
        ...person,
        calendars: [
          { slug: "events-2001", ...inProject },
          { slug: "milestones-2001", ...inList, name: "Milestones" },
          { slug: "tasks-3001", ...inList },
          { slug: "assigned", name: "Assigned to me", refusesNew },
        ],
      },
      { id: 12, name: "Ben", email: "ben@example.com", password: "other", calendars: [] },
    ],
    clock,
    zone,
  });
  let made = 0;
  let port = 0;
  const caldav = createCaldavServer({
    backend: {
      ...backend,
      calendars: (who) => backend.calendars(who).map((calendar) => ({ ...calendar, access })),
      calendar(who, slug) {
        const calendar = backend.calendar(who, slug);
        return calendar && { ...calendar, access };
      },
    },
    publicUrl: () =>
      publicUrl === "own"
        ? `http://127.0.0.1:${port}`
        : (publicUrl ?? "https://calendar.example.com"),
    name: "Dayferry",
    fixedCalendars: "calendars come from a list",
    zone,
    maxSize,
    clock,
    randomId: () => `random-${++made}`,
    onError(event, about) {
      throw new Error(`${event}: ${JSON.stringify(about)}`);
    },
  });
  const server = createServer(express().disable("x-powered-by").use(caldav));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  port = Object(server.address()).port;
  const authorization = `Basic ${Buffer.from(`${person.email}:${person.password}`).toString("base64")}`;
  const call: World["call"] = (request, { headers, ...more } = {}) =>
    callHttp(port, request, { headers: { authorization, ...headers }, ...more });
  const put = (path: string, item: string) =>
    call(`PUT ${path}`, { headers: { "content-type": "text/calendar" }, body: object(item) });
  await put(
    `${events}review.ics`,
    vevent("review")
      .replaceAll("20261224T10", "20261123T09")
      .replaceAll("20261224T11", "20261123T10"),
  );
  await put(
    `${tasks}paint.ics`,
    "BEGIN:VTODO\r\nUID:paint\r\nDTSTAMP:20261121T080000Z\r\nSUMMARY:Paint\r\nEND:VTODO",
  );
  if (readOnly.includes(person.id)) access = "read";
  return worldOn({ port, call, bare: (request, options) => callHttp(port, request, options) });
}
