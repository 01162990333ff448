import { createHmac } from "node:crypto";
import type { Request } from "express";
import type { PersonId } from "../domain/ids.ts";
import type { LogIn, LogInWay } from "../store/calendars/sign-ins.ts";
import type { Store } from "../store/store.ts";

/** A browser's log-in, as the request at hand has proved it. */
export interface BrowserSession extends LogIn {
  /** The token that every form of this session carries. */
  readonly formToken: string;
}

/** Log-ins of browsers, each held by a cookie. */
export interface BrowserSessions {
  /** Null without a session, and with one that has ended. `proxied`: whom a proxy says the request is of. */
  find(request: Pick<Request, "headers">, proxied: string | null): BrowserSession | null;
  /** Begins a session; one that the browser had has ended. */
  begin(request: Request, by: NewSession): BegunSession;
  /** Ends the browser's session wherever its cookie was copied to; value of the header that takes the cookie away. */
  end(request: Request): string;
}

/** What a browser holds of a session that has just begun: the value of its `Set-Cookie` header, and its forms' token. */
export interface BegunSession {
  readonly cookie: string;
  readonly formToken: string;
}

interface NewSession {
  /** Null is the admin. */
  readonly person: PersonId | null;
  readonly way: LogInWay;
  readonly proxied: string | null;
}

interface BrowserSessionsDeps {
  readonly adminToken: () => string;
  readonly store: Pick<Store, "logIns" | "health">;
  readonly clock: () => Temporal.Instant;
  /** As many unpredictable bytes as asked for. */
  readonly randomBytes: (size: number) => Uint8Array;
}

const cookieName = "dayferry-session";
const sessionLength = Temporal.Duration.from({ hours: 24 * 14 });
/** How exactly it is noted when a session was last in use. */
const useNotedEvery = Temporal.Duration.from({ hours: 1 });

/**
 * The cookie is a random text, of which only an HMAC under the admin token is stored: a copy of the database opens nothing,
 * and another admin token ends every session. A log-in begins another session, so that no cookie from before it is worth
 * anything.
 */
export function createBrowserSessions(deps: BrowserSessionsDeps): BrowserSessions {
  const { adminToken, store, clock, randomBytes } = deps;
  const { logIns } = store;
  const sign = (text: string) =>
    createHmac("sha256", adminToken()).update(text).digest("base64url");
  const digestOf = (cookie: string) => sign(`session ${cookie}`);

  function used({ id, usedAt }: LogIn): void {
    if (Temporal.Instant.compare(usedAt.add(useNotedEvery), clock()) > 0) return;
    try {
      logIns.used(id);
    } catch (error) {
      // A full disk is no reason to keep anybody from seeing that it is full.
      if (!store.health.note(error)) throw error;
    }
  }

  function end(request: Request): void {
    const cookie = cookieOf(request);
    const session = cookie === null ? null : logIns.find(digestOf(cookie));
    if (session) logIns.end(session.id);
  }

  return {
    find(request, proxied) {
      const cookie = cookieOf(request);
      const session = cookie === null ? null : logIns.find(digestOf(cookie));
      // It was begun behind a proxy that has somebody else in this browser now.
      if (cookie === null || session?.proxied !== proxied) return null;
      used(session);
      return { ...session, formToken: sign(`form ${cookie}`) };
    },
    begin(request, by) {
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
    end(request) {
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

/** Null where there is none that this server can have given. */
function cookieOf({ headers }: Pick<Request, "headers">): string | null {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim().split("="));
  const [, value = ""] = pairs.find(([key]) => key === cookieName) ?? [];
  return /^[\w-]{43}$/.test(value) ? value : null;
}
