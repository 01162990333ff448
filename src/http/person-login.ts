import type { Credentials } from "@dayferry/http-values";
import type { Request, Response } from "express";
import type { Person } from "../domain/item.ts";
import { say } from "../texts/say.ts";
import type { HttpDeps } from "./http-deps.ts";
import { sendProblem } from "./problem-json.ts";
import { noteWrong, turnAway } from "./wrong-secret.ts";

/** The person of these credentials; null if the request was answered with 401 or 429. */
export type PersonLogin = (
  credentials: Credentials,
  at: { readonly request: Request; readonly response: Response },
) => Promise<Person | null>;

/** Authenticates people by app password. Wrong ones are slowed down and finally refused. */
export function createPersonLogin({
  passwords,
  throttle,
}: Pick<HttpDeps, "passwords" | "throttle">): PersonLogin {
  return async ({ login, password }, { request, response }) => {
    const person = passwords.check(login, password);
    if (person) {
      throttle.right(request.ip ?? "", login);
      return person;
    }
    const seconds = await noteWrong(throttle, { request, login });
    if (seconds === null) refuse(response);
    else turnAway(response, seconds);
    return null;
  };
}

function refuse(response: Response): void {
  response.setHeader("WWW-Authenticate", 'Basic realm="Dayferry", charset="UTF-8"');
  const detail = say("login.wrong");
  sendProblem(response, { status: 401, title: "Unauthorized", detail });
}
