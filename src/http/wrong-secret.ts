import { setTimeout as pause } from "node:timers/promises";
import type { Request, Response } from "express";
import { unreachable } from "../domain/result.ts";
import type { Throttle } from "../people/throttle.ts";
import { sendProblem } from "./problem-json.ts";

/**
 * Notes a wrong secret and waits as long as its answer is to wait. Null when it can be answered now; else after how many
 * seconds its sender may try again. `login`: whom it was said to be of.
 */
export async function noteWrong(
  throttle: Throttle,
  { request, login }: { readonly request: Request; readonly login: string },
): Promise<number | null> {
  const passage = throttle.wrong(request.ip ?? "", login);
  switch (passage.kind) {
    case "refuse":
      return passage.retryAfterSeconds;
    case "wait":
      await pause(passage.ms);
      return null;
    case "go":
      return null;
    default:
      return unreachable(passage);
  }
}

/** Answers who has sent too many wrong secrets. */
export function turnAway(response: Response, seconds: number): void {
  response.setHeader("Retry-After", String(seconds));
  const detail = "too many wrong passwords or tokens came from this address for this login";
  sendProblem(response, { status: 429, title: "Too many requests", detail });
}
