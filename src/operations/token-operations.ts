import { z } from "zod";
import { type PersonId, personId } from "../domain/ids.ts";
import { ok } from "../domain/result.ts";
import { type TokenScope, tokenScopes } from "../store/calendars/token-table.ts";
import { say } from "../texts/say.ts";
import { newTokenAnswer, tokenAnswer } from "./answers.ts";
import {
  anId,
  aText,
  type Caller,
  callerPerson,
  invalid,
  missing,
  type OperationModules,
  type Outcome,
  operation,
  pathId,
  quoted,
} from "./operation.ts";

const person = anId("whose tokens, for the admin", personId).optional();
const longestName = 80;

export const listTokens = operation({
  name: "tokens list",
  answer: z.array(tokenAnswer),
  summary: "list access tokens of agents",
  route: "GET /api/tokens",
  access: "person",
  member: "tokens",
  input: { person },
  run: (input, context) =>
    withOwner(input, context, (owner) => ok(context.store.accessTokens.of(owner))),
});

export const createToken = operation({
  name: "tokens create",
  answer: newTokenAnswer,
  summary: "create an access token, by which an agent acts for a person",
  note: "The token is shown only once.",
  route: "POST /api/tokens",
  access: "person",
  status: () => 201,
  input: {
    name: aText("what the token is for"),
    scope: aText(
      "read; propose, whose edits wait for approval; or edit. Default: propose",
    ).optional(),
    person,
  },
  run: ({ name, scope = "propose", ...input }, context) =>
    withOwner(input, context, (owner) => {
      const called = name.trim().slice(0, longestName);
      const known = tokenScopes.find((one) => one === scope);
      if (called === "") return invalid(say("operationFault.tokenName"));
      if (!known) return invalid(say("inputFault.choice", scopeFault(scope)));
      const { id, token } = context.tokens.issue(owner, { name: called, scope: known });
      return ok({ id, name: called, scope: known, token, url: `${context.baseUrl()}/mcp` });
    }),
});

export const revokeToken = operation({
  name: "tokens revoke",
  answer: z.null(),
  summary: "revoke an access token",
  route: "DELETE /api/tokens/:id",
  access: "person",
  input: { id: pathId("token", Number), person },
  run: ({ id, ...input }, context) =>
    withOwner(input, context, (owner) =>
      context.store.accessTokens.remove(id, owner)
        ? ok(null)
        : missing(say("operationFault.noToken", { id: String(id) })),
    ),
});

const scopeFault = (scope: string) => ({
  name: "scope",
  value: quoted(scope),
  choices: tokenScopes.join(", "),
});

/** Everyone has tokens of their own; the admin names a person. */
function withOwner(
  { person: named }: { readonly person?: PersonId | undefined },
  { caller, store }: Pick<OperationModules, "store"> & { readonly caller: Caller },
  work: (owner: PersonId) => Outcome,
): Outcome {
  const own = callerPerson(caller);
  const owner = own ?? named;
  if (owner === undefined) return invalid(say("inputFault.needed", { name: "person" }));
  if (own !== null && named !== undefined && named !== own) {
    return missing(say("operationFault.noPerson", { id: String(named) }));
  }
  return store.directory.activePerson(owner)
    ? work(owner)
    : missing(say("operationFault.noPerson", { id: String(owner) }));
}

export type { TokenScope };
