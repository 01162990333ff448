import type { Request, Response } from "express";
import type { Throttle } from "../people/throttle.ts";
import { sendProblem } from "./problem-json.ts";

/**
 * Notes a wrong secret and waits as long as its answer is to wait. Null when it can be answered now; else after how many
 * seconds its sender may try again. `login`: whom it was said to be of.
 */
export function noteWrong(
  throttle: Throttle,
  { request, login }: { readonly request: Request; readonly login: string },
): Promise<number | null> {
  return throttle.answerable(request.ip ?? "", login);
}

/** Answers who has sent too many wrong secrets. */
export function turnAway(response: Response, seconds: number): void {
  response.setHeader("Retry-After", String(seconds));
  const detail = "too many wrong passwords or tokens came from this address for this login";
  sendProblem(response, { status: 429, title: "Too many requests", detail });
}
