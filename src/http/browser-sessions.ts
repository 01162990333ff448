import { createHmac } from "node:crypto";
import type { Request } from "express";
import type { PersonId } from "../domain/ids.ts";
import type { LogIn, LogInWay } from "../store/calendars/sign-ins.ts";
import type { HttpDeps } from "./http-deps.ts";

/** The browser session of the present request. */
export interface BrowserSession extends LogIn {
  /** The token that every form of this session contains. */
  readonly formToken: string;
}

/** A new session: the value of its `Set-Cookie` header, and its forms' token. */
export interface BegunSession {
  readonly cookie: string;
  readonly formToken: string;
}

interface NewSession {
  /** Null for the admin. */
  readonly person: PersonId | null;
  readonly way: LogInWay;
  readonly proxied: string | null;
}

const cookieName = "dayferry-session";
const sessionLength = Temporal.Duration.from({ hours: 24 * 14 });
/** How precisely a session's last use is recorded. */
const useNotedEvery = Temporal.Duration.from({ hours: 1 });

/**
 * The cookie is a random text. Only an HMAC of it under the admin token is stored, so that a copy of the database opens
 * nothing, and a new admin token ends every session. Signing in starts a new session, so that earlier cookies are worthless.
 */
export function createBrowserSessions({
  adminToken,
  store,
  clock,
  randomBytes,
}: Pick<HttpDeps, "adminToken" | "store" | "clock" | "randomBytes">) {
  const { logIns } = store;
  const sign = (text: string) =>
    createHmac("sha256", adminToken()).update(text).digest("base64url");
  const digestOf = (cookie: string) => sign(`session ${cookie}`);

  function used({ id, usedAt }: LogIn): void {
    if (Temporal.Instant.compare(usedAt.add(useNotedEvery), clock()) > 0) return;
    try {
      logIns.used(id);
    } catch (error) {
      // A full disk must not keep anyone from seeing that it is full.
      if (!store.health.note(error)) throw error;
    }
  }

  function end(request: Request): void {
    const cookie = cookieOf(request);
    const session = cookie === null ? null : logIns.find(digestOf(cookie));
    if (session) logIns.end(session.id);
  }

  return {
    /** Null without a session, or if it has ended. `proxied`: the user named by a proxy. */
    find(request: Pick<Request, "headers">, proxied: string | null): BrowserSession | null {
      const cookie = cookieOf(request);
      const session = cookie === null ? null : logIns.find(digestOf(cookie));
      // The session was started behind a proxy that now names another user.
      if (cookie === null || session?.proxied !== proxied) return null;
      used(session);
      return { ...session, formToken: sign(`form ${cookie}`) };
    },
    /** Starts a session; the browser's previous one ends. */
    begin(request: Request, by: NewSession): BegunSession {
      end(request);
      const cookie = Buffer.from(randomBytes(32)).toString("base64url");
      logIns.begin({
        ...by,
        digest: digestOf(cookie),
        agent: (request.get("user-agent") ?? "").slice(0, 300),
        until: clock().add(sessionLength),
      });
      const seconds = sessionLength.total("seconds");
      return {
        cookie: cookieLine(request, { value: cookie, seconds }),
        formToken: sign(`form ${cookie}`),
      };
    },
    /** Ends the browser's session, wherever its cookie was copied to; returns the header value that deletes the cookie. */
    end(request: Request): string {
      end(request);
      return cookieLine(request, { value: "", seconds: 0 });
    },
  };
}

function cookieLine(
  { secure }: Request,
  { value, seconds }: { readonly value: string; readonly seconds: number },
): string {
  const flags = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure ? "; Secure" : ""}`;
  return `${cookieName}=${value}; ${flags}`;
}

/** Null if the request has no cookie that this server can have set. */
function cookieOf({ headers }: Pick<Request, "headers">): string | null {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim().split("="));
  const [, value = ""] = pairs.find(([key]) => key === cookieName) ?? [];
  return /^[\w-]{43}$/.test(value) ? value : null;
}
