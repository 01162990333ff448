import { createHmac, timingSafeEqual } from "node:crypto";
import type { Request, RequestHandler } from "express";
import type { Throttle } from "../people/throttle.ts";
import type { Store } from "../store/store.ts";
import { sendProblem } from "./problem-json.ts";
import { noteWrong, turnAway } from "./wrong-secret.ts";

/** Lets the operator in, by the admin token: programs with each request, browsers with a session. */
export interface AdminAuth {
  /** Lets a request with the admin token as Bearer pass; answers 401 otherwise, and 429 in the end. */
  readonly requireToken: RequestHandler;
  /** Whether the text is the admin token. */
  isToken(candidate: string): boolean;
  /** Notes that it was not, as `noteWrong` does. */
  noteWrong(request: Request, by: "form" | "address"): Promise<number | null>;
  /** Whether the browser has a session that has not ended. */
  hasSession(request: Request): boolean;
  /** Value of a `Set-Cookie` header that begins a session. */
  beginSession(request: Request): string;
  /** Ends the browser's session wherever its cookie was copied to; value of the `Set-Cookie` header that takes it away. */
  endSession(request: Request): string;
  /** The token that every form of this session carries. */
  formToken(request: Request): string;
}

interface AdminAuthDeps {
  readonly adminToken: string;
  readonly throttle: Throttle;
  readonly store: Pick<Store, "endedSessions">;
  readonly clock: () => Temporal.Instant;
  /** As many unpredictable bytes as asked for. */
  readonly randomBytes: (size: number) => Uint8Array;
}

const cookieName = "dayferry-session";
const sessionLength = Temporal.Duration.from({ hours: 24 * 14 });

interface Session {
  readonly id: string;
  readonly until: Temporal.Instant;
  /** Of the cookie. */
  readonly value: string;
}

/** Sessions are signed with the admin token: a new token ends them all. Only what was ended before its time is stored. */
export function createAdminAuth({
  adminToken,
  throttle,
  store,
  clock,
  randomBytes,
}: AdminAuthDeps): AdminAuth {
  const { endedSessions } = store;
  const sign = (text: string) => createHmac("sha256", adminToken).update(text).digest("base64url");
  const isToken = (candidate: string) => sameSecret(candidate, adminToken);

  function session(request: Request): Session | null {
    const value = cookieOf(request.headers.cookie ?? "", cookieName) ?? "";
    const [, until = "", id = "", signature = ""] =
      /^(\d{1,12})\.([\w-]{22})\.([\w-]+)$/.exec(value) ?? [];
    if (!sameSecret(signature, sign(`session ${until} ${id}`))) return null;
    const end = Temporal.Instant.fromEpochMilliseconds(Number(until) * 1000);
    const isOver = Temporal.Instant.compare(end, clock()) <= 0;
    return isOver || endedSessions.has(id) ? null : { id, until: end, value };
  }

  return {
    isToken,
    async requireToken(request, response, next) {
      const [, candidate] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
      if (candidate && isToken(candidate)) return next();
      const seconds = candidate ? await noteWrong(throttle, { request, login: "bearer" }) : null;
      if (seconds !== null) return turnAway(response, seconds);
      response.setHeader("WWW-Authenticate", 'Bearer realm="Dayferry"');
      sendProblem(response, {
        status: 401,
        title: "Unauthorized",
        detail: candidate
          ? "the Bearer token is not the admin token"
          : "an Authorization header with the admin token as Bearer is needed",
      });
    },
    // An image on a strange page can ask for an address, so that these stand in nobody else's way.
    noteWrong: (request, by) => noteWrong(throttle, { request, login: `token by ${by}` }),
    hasSession: (request) => session(request) !== null,
    beginSession(request) {
      const until = Math.floor(clock().add(sessionLength).epochMilliseconds / 1000);
      const id = Buffer.from(randomBytes(16)).toString("base64url");
      const value = `${until}.${id}.${sign(`session ${until} ${id}`)}`;
      const secure = request.secure ? "; Secure" : "";
      return `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${sessionLength.total("seconds")}${secure}`;
    },
    endSession(request) {
      const ended = session(request);
      if (ended) endedSessions.add(ended);
      return `${cookieName}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`;
    },
    formToken: (request) => sign(`form ${session(request)?.value ?? ""}`),
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
