import type { Sandbox, SandboxOptions } from "@dayferry/sandbox";
import { expect, onTestFinished } from "vitest";
import {
  folderId,
  type ListId,
  listId,
  type ProjectId,
  personId,
  projectId,
} from "../../src/domain/ids.ts";
import type { Patch } from "../../src/domain/patch.ts";
import type { Result } from "../../src/domain/result.ts";
import type { Call, Upstream, UpstreamOptions } from "../../src/upstream/client.ts";
import { describeFailure, type Failure } from "../../src/upstream/failure.ts";
import { testSandbox } from "../support/sandbox.ts";
import { timersByHand } from "../support/timers-by-hand.ts";
import { clientOf } from "../upstream/loopback.ts";

/** The account's zone on both sides. */
export const timeZone = "Europe/Berlin";
export const edit: Call = { priority: "edit" };

/**
 * The sandbox and a client of it, both with a wide quota by default; closed when the test ends. No request times out by
 * itself, as the machine may stall.
 */
export async function startPair(
  given: {
    readonly sandbox?: Partial<SandboxOptions>;
    readonly client?: Partial<UpstreamOptions>;
    /** Whether the client gives up a request as soon as a fault of the sandbox leaves it unanswered. */
    readonly endsHangs?: boolean;
  } = {},
) {
  const timers = timersByHand();
  const sandbox = await testSandbox({
    quota: { requests: 1000, perMs: 1000 },
    ...(given.endsHangs && { onHang: timers.end }),
    ...given.sandbox,
  });
  onTestFinished(() => sandbox.close());
  const keyOf = (id: number) => sandbox.keys.find((key) => key.personId === id)?.apiKey ?? null;
  const owner = sandbox.keys[0];
  if (!owner) throw new Error("the sandbox has no key");
  const { upstream, events } = clientOf(sandbox.baseUrl, {
    uploadUrl: sandbox.uploadUrl,
    apiKey: owner.apiKey,
    keyOf,
    timeZone,
    startTimer: timers.start,
    ...given.client,
  });
  const [first, second] = sandbox.workspace.places();
  const [listA, listB] = first?.lists ?? [];
  const [listC] = second?.lists ?? [];
  const [folder] = first?.folders ?? [];
  if (!first || !second || !listA || !listB || !listC || !folder) {
    throw new Error("the sandbox has too few places");
  }
  const project = projectId(first.project);
  return {
    sandbox,
    upstream,
    events,
    owner: personId(owner.personId),
    project,
    list: listId(listA),
    folder: folderId(folder),
    customFields: first.customFields,
    otherList: listId(listB),
    otherProject: projectId(second.project),
    farList: listId(listC),
    person: (role: string, from = 0) => {
      const key = sandbox.keys.filter((one) => one.role === role)[from];
      if (!key) throw new Error(`the sandbox has no ${role}`);
      return personId(key.personId);
    },
    last: () => lastOf(sandbox),
  };
}

/** The value of a call that must have worked. */
export function worked<Value>(result: Result<Value, Failure>): Value {
  if (!result.ok) throw new Error(describeFailure(result.failure));
  return result.value;
}

/** A new task's id, for tests about its children. */
export async function newTask(
  upstream: Upstream,
  wish: { readonly projectId: ProjectId; readonly listId: ListId; readonly patch?: Patch },
) {
  const task = worked(
    await upstream.tasks.create({ ...wish, patch: { title: "Parent", ...wish.patch } }, edit),
  );
  if (task.id === null) throw new Error("the new task has no id");
  return task.id;
}

/** The id that the service must have given to an item. */
export function idOf<Id>(item: { readonly id: Id | null }): Id {
  if (item.id === null) throw new Error("the item has no id");
  return item.id;
}

/** Expects a refusal with this status. */
export function expectRefused(result: Result<unknown, Failure>, status: number): void {
  expect(result).toMatchObject({ ok: false, failure: { kind: "refused", status } });
}

function lastOf(sandbox: Sandbox) {
  const entry = sandbox.requests.entries().at(-1);
  if (!entry) throw new Error("the sandbox has seen no request");
  const body: unknown = entry.body.startsWith("{") ? JSON.parse(entry.body) : entry.body;
  const { method, path, query, status } = entry;
  return { method, path: path.replace("/api/v3", ""), query, status, body };
}
