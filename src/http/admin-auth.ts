import { timingSafeEqual } from "node:crypto";
import type { Request } from "express";
import type { Throttle } from "../people/throttle.ts";
import { noteWrong } from "./wrong-secret.ts";

/** Knows the operator by the admin token. */
export interface AdminAuth {
  /** Whether the text is the admin token. */
  isToken(candidate: string): boolean;
  /** Notes that it was not, as `noteWrong` does. What came in one way stands in nobody's way in another. */
  noteWrong(request: Request, by: "bearer" | "form" | "address"): Promise<number | null>;
}

interface AdminAuthDeps {
  readonly adminToken: () => string;
  readonly throttle: Throttle;
}

export function createAdminAuth({ adminToken, throttle }: AdminAuthDeps): AdminAuth {
  return {
    isToken: (candidate) => sameSecret(candidate, adminToken()),
    // An image on a strange page can ask for an address, so that these are counted apart.
    noteWrong: (request, by) =>
      noteWrong(throttle, { request, login: by === "bearer" ? by : `token by ${by}` }),
  };
}

/** Equal or not in a time that tells nothing about where they differ. */
export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
