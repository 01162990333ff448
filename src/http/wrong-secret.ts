import type { Request, Response } from "express";
import type { Throttle } from "../people/throttle.ts";
import { say } from "../texts/say.ts";
import { sendProblem } from "./problem-json.ts";

/**
 * Records a wrong secret and delays the answer. Returns null if the request can be answered now, else the seconds until the
 * sender may retry. `login`: the user name that was given with it.
 */
export function noteWrong(
  throttle: Throttle,
  { request, login }: { readonly request: Request; readonly login: string },
): Promise<number | null> {
  return throttle.answerable(request.ip ?? "", login);
}

/** Answers a client that has sent too many wrong secrets. */
export function turnAway(response: Response, seconds: number): void {
  response.setHeader("Retry-After", String(seconds));
  const detail = say("accessFault.tooMany");
  sendProblem(response, { status: 429, title: "Too many requests", detail });
}
