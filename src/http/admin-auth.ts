import { timingSafeEqual } from "node:crypto";
import type { Request } from "express";
import type { HttpDeps } from "./http-deps.ts";
import { noteWrong } from "./wrong-secret.ts";

/** Checks the admin token. */
export type AdminAuth = ReturnType<typeof createAdminAuth>;

export function createAdminAuth({
  adminToken,
  throttle,
}: Pick<HttpDeps, "adminToken" | "throttle">) {
  return {
    /** True if the text is the admin token. */
    isToken: (candidate: string): boolean => sameSecret(candidate, adminToken()),
    /**
     * Records a wrong token, like `noteWrong`. Tokens in URLs are counted separately from those in headers and forms, because
     * an image on another site can request a URL.
     */
    noteWrong: (request: Request, by: "bearer" | "form" | "address"): Promise<number | null> =>
      noteWrong(throttle, { request, login: by === "bearer" ? by : `token by ${by}` }),
  };
}

/** Compares in constant time. */
export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
