import { z } from "zod";
import { fail, ok } from "../domain/result.ts";
import { say } from "../texts/say.ts";
import { brakeAnswer } from "./answers.ts";
import { aText, operation } from "./operation.ts";

export const listBrakes = operation({
  name: "brakes list",
  answer: z.array(brakeAnswer),
  summary: "every source with removals waiting for approval",
  route: "GET /api/brakes",
  access: "admin",
  member: "brakes",
  input: {},
  run: (_, { store }) => ok(store.brakes.all()),
});

export const releaseBrake = operation({
  name: "brakes release",
  answer: z.null(),
  summary: "approve the removals of a source",
  route: "POST /api/brakes/:source/release",
  access: "admin",
  input: { source: aText("its name, as the list shows it") },
  run: ({ source }, { store }) =>
    store.brakes.release(source)
      ? ok(null)
      : fail({ kind: "conflict", detail: say("operationFault.noBrake", { source }) }),
});
