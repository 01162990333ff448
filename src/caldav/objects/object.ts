import type { DavAnswer, DavContext, ObjectRequest } from "../context.ts";
import { faultAnswer } from "../fault.ts";
import { copyObject } from "./object-copy.ts";
import { deleteObject } from "./object-delete.ts";
import { methodFault } from "./object-faults.ts";
import { getObject } from "./object-get.ts";
import { moveObject } from "./object-move.ts";
import { putObject } from "./object-put.ts";

/** Methods that work on an object as a whole, by name. */
const methods: ReadonlyMap<string, (context: DavContext, request: ObjectRequest) => DavAnswer> =
  new Map([
    ["GET", getObject],
    ["HEAD", getObject],
    ["PUT", putObject],
    ["DELETE", deleteObject],
    ["MOVE", moveObject],
    ["COPY", copyObject],
  ]);

/**
 * Answers GET, HEAD, PUT, DELETE, MOVE and COPY of an object, or of where one would be. The body of a HEAD is that of the
 * GET: who sends it leaves it out.
 */
export function objectAnswer(context: DavContext, request: ObjectRequest): DavAnswer {
  const { method, target, calendar } = request;
  const answer = methods.get(method);
  if (answer) return answer(context, request);
  const reason = `${method} is not offered for an object`;
  return faultAnswer(methodFault(reason, { kind: target.kind, calendar, method }));
}
