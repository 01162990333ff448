import { fail, ok } from "../domain/result.ts";
import { say } from "../texts/say.ts";
import { statusAnswer, statusDetailsAnswer } from "./answers.ts";
import { type OperationModules, type Outcome, operation } from "./operation.ts";

export const showStatus = operation({
  name: "status",
  answer: statusAnswer,
  summary: "whether calendars are up to date, and which edits need a decision",
  route: "GET /api/summary",
  access: "person",
  input: {},
  run: (_, { statusReader, caller }) =>
    statusReader ? ok(statusReader.summary(caller.viewer)) : noDaemon(),
});

export const showStatusDetails = operation({
  name: "status details",
  answer: statusDetailsAnswer,
  summary: "status: data age, quota, edits, mail, problems, disk",
  route: "GET /api/status",
  access: "admin",
  isOffered: ({ statusReader }: Pick<OperationModules, "statusReader">) =>
    statusReader !== undefined,
  input: {},
  run: (_, { statusReader }) => (statusReader ? ok(statusReader.details()) : noDaemon()),
});

const noDaemon = (): Outcome => fail({ kind: "conflict", detail: say("operationFault.noDaemon") });
