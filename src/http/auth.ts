import { createHmac, timingSafeEqual } from "node:crypto";
import type { NextFunction, Request, Response } from "express";
import { sendProblem } from "./problem.ts";

/** Who may use the API and the pages. */
export interface Auth {
  /** Lets a request with the admin token as Bearer pass; answers 401 otherwise. */
  requireToken(request: Request, response: Response, next: NextFunction): void;
  /** Whether the text is the admin token. */
  isToken(candidate: string): boolean;
  /** Whether the browser has a session that has not ended. */
  hasSession(request: Request): boolean;
  /** Value of a `Set-Cookie` header that begins a session. */
  beginSession(request: Request): string;
  endSession(): string;
  /** The token that every form of this session carries. */
  formToken(request: Request): string;
}

const cookieName = "dayferry-session";
const sessionLength = Temporal.Duration.from({ hours: 24 * 14 });

/** Sessions are signed with the admin token: a new token ends them all, and nothing is stored. */
export function createAuth(adminToken: string, clock: () => Temporal.Instant): Auth {
  const sign = (text: string) => createHmac("sha256", adminToken).update(text).digest("base64url");
  const isToken = (candidate: string) => sameSecret(candidate, adminToken);

  function session(request: Request): string | null {
    const value = cookieOf(request.headers.cookie ?? "", cookieName);
    const [until = "", signature = ""] = value?.split(".") ?? [];
    if (!/^\d{1,12}$/.test(until) || !sameSecret(signature, sign(`session ${until}`))) return null;
    return Number(until) * 1000 > clock().epochMilliseconds ? (value ?? null) : null;
  }

  return {
    isToken,
    requireToken(request, response, next) {
      const [, candidate] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
      if (candidate && isToken(candidate)) return next();
      response.setHeader("WWW-Authenticate", 'Bearer realm="Dayferry"');
      sendProblem(response, {
        status: 401,
        title: "Unauthorized",
        detail: candidate
          ? "the Bearer token is not the admin token"
          : "an Authorization header with the admin token as Bearer is needed",
      });
    },
    hasSession: (request) => session(request) !== null,
    beginSession(request) {
      const until = Math.floor(clock().add(sessionLength).epochMilliseconds / 1000);
      const value = `${until}.${sign(`session ${until}`)}`;
      const secure = request.secure ? "; Secure" : "";
      return `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${sessionLength.total("seconds")}${secure}`;
    },
    endSession: () => `${cookieName}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`,
    formToken: (request) => sign(`form ${session(request) ?? ""}`),
  };
}

/** Equal or not in a time that tells nothing about where they differ. */
export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function cookieOf(header: string, name: string): string | undefined {
  const pairs = header.split(";").map((pair) => pair.trim().split("="));
  return pairs.find(([key]) => key === name)?.[1];
}
