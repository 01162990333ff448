import { setTimeout as pause } from "node:timers/promises";
import type { Request, Response } from "express";
import type { Person } from "../domain/item.ts";
import { unreachable } from "../domain/result.ts";
import type { Credentials } from "../people/basic.ts";
import type { PasswordCheck } from "../people/passwords.ts";
import type { Throttle } from "../people/throttle.ts";
import { sendProblem } from "./problem.ts";

export interface PersonLoginDeps {
  readonly passwords: PasswordCheck;
  readonly throttle: Throttle;
}

/** Who these credentials are of; null when the request was answered with 401 or 429. */
export type PersonLogin = (
  credentials: Credentials,
  at: { readonly request: Request; readonly response: Response },
) => Promise<Person | null>;

/** Logs people in by their app passwords; wrong ones are slowed down and in the end turned away. */
export function createPersonLogin({ passwords, throttle }: PersonLoginDeps): PersonLogin {
  return async ({ login, password }, { request, response }) => {
    const address = request.ip ?? "";
    const passage = throttle.before(address, login);
    switch (passage.kind) {
      case "refuse":
        return turnAway(response, passage.retryAfterSeconds);
      case "wait":
        await pause(passage.ms);
        break;
      case "go":
        break;
      default:
        return unreachable(passage);
    }
    const person = passwords.check(login, password);
    if (!person) {
      throttle.failed(address, login);
      return refuse(response);
    }
    throttle.succeeded(address, login);
    return person;
  };
}

function refuse(response: Response): null {
  response.setHeader("WWW-Authenticate", 'Basic realm="Dayferry", charset="UTF-8"');
  const detail = "user name or app password is wrong";
  sendProblem(response, { status: 401, title: "Unauthorized", detail });
  return null;
}

function turnAway(response: Response, seconds: number): null {
  response.setHeader("Retry-After", String(seconds));
  const detail = "too many wrong passwords came for this user name or from this address";
  sendProblem(response, { status: 429, title: "Too many requests", detail });
  return null;
}
