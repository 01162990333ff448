import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { createReportProcesses } from "../../src/reports/report-processes.ts";
import { eventually } from "../support/eventually.ts";
import { anyRequest, fill, reportRig } from "./rig.ts";

/** The report processes started from here on. */
function startedProcesses(): () => readonly ChildProcess[] {
  const all: ChildProcess[] = [];
  const note = (message: unknown) => {
    const { process: child }: { readonly process?: ChildProcess } = Object(message);
    if (child) all.push(child);
  };
  subscribe("child_process", note);
  onTestFinished(() => void unsubscribe("child_process", note));
  // A process exists a little before its command line is known.
  return () =>
    all.filter(({ spawnargs }) => spawnargs.some((part) => part.endsWith("report-child.ts")));
}

/** The report files opened from here on and not yet closed. */
function openedReports(): () => readonly string[] {
  const before = new Set(openReports());
  return () => openReports().filter((path) => !before.has(path));
}

function openReports(): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.includes("dayferry-report-") ? [path] : [];
    } catch {
      return [];
    }
  });
}

function processesRig() {
  const rig = reportRig();
  fill(rig);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const processes = createReportProcesses({ signal: stop.signal });
  const ask = (signal = new AbortController().signal) => {
    const request = { ...anyRequest, name: "items" };
    const { file, clock } = rig;
    return processes.render(
      { file, zone: "Europe/Berlin", now: clock(), request, format: "csv", viewer: null },
      signal,
    );
  };
  const render = async (signal?: AbortSignal) => {
    const answer = await ask(signal);
    return answer.ok ? text(answer.value.body) : answer.failure.message;
  };
  return { processes, ask, render, stop, started: startedProcesses(), opened: openedReports() };
}

it("render() uses the process started ahead, and starts no other", async () => {
  const { processes, render, started } = processesRig();
  processes.prepare();
  processes.prepare();
  expect(await render()).toContain("Late one");
  expect(started()).toHaveLength(1);
  expect(await render()).toContain("Late one");
  expect(started()).toHaveLength(2);
});

it("render() uses another process when the one started ahead has ended", async () => {
  const { processes, render, started, opened } = processesRig();
  processes.prepare();
  const child = await eventually("a process is there", () => started()[0] ?? null);
  child.kill("SIGKILL");
  await once(child, "close");
  expect(await render()).toContain("Late one");
  expect(started()).toHaveLength(2);
  await eventually("no report is open", () => opened().length === 0 || null);
});

it("render() closes its file when the requester leaves before its text is read", async () => {
  const { ask, opened } = processesRig();
  const gone = new AbortController();
  const answer = await ask(gone.signal);
  expect(answer).toMatchObject({ ok: true });
  expect(opened()).toHaveLength(1);
  gone.abort();
  await eventually("no report is open", () => opened().length === 0 || null);
});

it("prepare() leaves nothing when the daemon stops, and starts nothing more", async () => {
  const { processes, started, stop } = processesRig();
  processes.prepare();
  const child = await eventually("a process is there", () => started()[0] ?? null);
  const closed = once(child, "close");
  stop.abort();
  await closed;
  processes.prepare();
  expect(started()).toHaveLength(1);
});

it("render() gives up a report that nobody waits for, and answers the next one", async () => {
  const { processes, render } = processesRig();
  processes.prepare();
  const gone = new AbortController();
  const given = render(gone.signal);
  gone.abort();
  await expect(given).rejects.toThrow();
  expect(await render()).toContain("Late one");
});
