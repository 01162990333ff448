import { expect, it } from "vitest";
import { createItemCalls, NoParentError } from "../../../src/edits/delivery/item-calls.ts";
import { aTask } from "../../support/items.ts";
import { clientOf } from "../../upstream/loopback.ts";

it("refuses to list a subtask without a parent", () => {
  const { upstream } = clientOf("http://127.0.0.1:9/api/v3");
  const calls = createItemCalls(upstream, { priority: "edit" });
  expect(() => calls.list(aTask(1, { kind: "subtask" }))).toThrow(NoParentError);
});
