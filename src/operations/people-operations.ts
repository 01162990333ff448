import { z } from "zod";
import { personId } from "../domain/ids.ts";
import { fail, ok, unreachable } from "../domain/result.ts";
import { passwordUse } from "../people/password-use.ts";
import { say } from "../texts/say.ts";
import { passwordAnswer, passwordUseAnswer, personAnswer } from "./answers.ts";
import { foundOr, missing, operation, pathId } from "./operation.ts";

const id = pathId("person", personId);

export const listPeople = operation({
  name: "people list",
  answer: z.array(personAnswer),
  summary: "list all people of the workspace and the configuration",
  route: "GET /api/people",
  access: "admin",
  member: "people",
  input: {},
  run: (_, { people }) => ok(people.list()),
});

export const showPassword = operation({
  name: "people password",
  answer: passwordUseAnswer,
  summary: "show whether a person has an app password, and what uses it",
  route: "GET /api/people/:id/password",
  access: "admin",
  input: { id },
  run({ id }, { people, store }) {
    const person = people.get(id);
    return foundOr(person && passwordUse(id, store), noPerson(id));
  },
});

export const setPassword = operation({
  name: "people set-password",
  answer: passwordAnswer,
  summary:
    "create an app password for calendar programs, shown only once; replaces the previous one",
  route: "POST /api/people/:id/password",
  access: "admin",
  input: { id },
  run({ id }, { people, baseUrl }) {
    const given = people.setPassword(id);
    switch (given.kind) {
      case "set": {
        const { person, password } = given;
        return ok({ ...person, password, url: `${baseUrl()}/dav/` });
      }
      case "refused":
        return fail({ kind: "conflict", detail: given.reason });
      case "unknown":
        return missing(noPerson(id));
      default:
        return unreachable(given);
    }
  },
});

export const clearPassword = operation({
  name: "people clear-password",
  answer: z.null(),
  summary: "remove a person's app password: calendar programs can no longer log in",
  route: "DELETE /api/people/:id/password",
  access: "admin",
  input: { id },
  run: ({ id }, { people }) =>
    people.clearPassword(id)
      ? ok(null)
      : missing(say("operationFault.noPassword", { id: String(id) })),
});

const noPerson = (id: number): string => say("operationFault.noPerson", { id: String(id) });
