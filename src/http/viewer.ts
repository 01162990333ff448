import { createHmac } from "node:crypto";
import { isZone } from "@dayferry/ical";
import type { Request, Response } from "express";
import type { PersonId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import type { Viewer } from "../domain/visibility.ts";
import type { LogInWay } from "../store/calendars/sign-ins.ts";
import type { TokenScope } from "../store/calendars/token-table.ts";
import { defaultLanguage } from "../texts/say.ts";
import { languageOfBrowser } from "./browser-language.ts";
import {
  type BegunSession,
  type BrowserSession,
  createBrowserSessions,
} from "./browser-sessions.ts";
import type { HttpDeps } from "./http-deps.ts";
import type { FormFrame } from "./pages/layout.ts";
import type { ProxyIdentity } from "./proxy-identity.ts";
import { rootOf } from "./send-page.ts";

/** Identifies the user: by browser session, by an authenticating proxy, or by a program's credentials. */
export type Viewers = ReturnType<typeof createViewers>;

/** Thrown if a handler needs a user and there is none. The access table should have prevented that. */
class NoViewerError extends Error {
  override readonly name = "NoViewerError";
}

/** A request's user, and the token for its forms. */
interface RequestIdentity {
  readonly viewer: Viewer | null;
  readonly session: BrowserSession | null;
  readonly formToken: string;
}

export function createViewers(deps: HttpDeps & { readonly identity: ProxyIdentity }) {
  const { adminToken, store, passwords, identity, zone } = deps;
  const sessions = createBrowserSessions(deps);
  const seen = new WeakMap<Request, RequestIdentity>();
  const scopes = new WeakMap<Request, TokenScope>();
  const admin: Viewer = { kind: "admin", zone };
  const personViewer = ({ id, name, timeZone }: Person): Viewer => ({
    kind: "person",
    person: id,
    name,
    zone: timeZone !== null && isZone(timeZone) ? timeZone : zone,
  });

  function noteLanguage(person: PersonId, request: Request): void {
    try {
      store.personLanguages.note(person, languageOfBrowser(request, defaultLanguage));
    } catch (error) {
      // A full disk must not keep anyone out.
      if (!store.health.note(error)) throw error;
    }
  }

  /** A person who has left the account is signed out; if they come back, they have to sign in again. */
  function ofSession({ person }: BrowserSession): Viewer | null {
    if (person === null) return admin;
    const known = store.directory.activePerson(person);
    if (!known) store.logIns.endOf(person, null);
    return known && personViewer(known);
  }

  function ofProxied(name: string): Viewer | null {
    if (identity.isAdmin(name)) return admin;
    const [only, another] = passwords.peopleOf(name);
    return only && !another ? personViewer(only) : null;
  }

  /** An admin's session takes precedence over the user named by the proxy, who takes precedence over a person's session. */
  function look(request: Request): RequestIdentity {
    const proxied = identity.of(request);
    const session = sessions.find(request, proxied);
    if (session && (session.person === null || proxied === null)) {
      return { viewer: ofSession(session), session, formToken: session.formToken };
    }
    if (proxied === null) return { viewer: null, session: null, formToken: "" };
    const formToken = createHmac("sha256", adminToken())
      .update(`form of ${proxied}`)
      .digest("base64url");
    return { viewer: ofProxied(proxied), session: null, formToken };
  }

  function identityOf(request: Request): RequestIdentity {
    const identity = seen.get(request) ?? look(request);
    seen.set(request, identity);
    return identity;
  }

  return {
    /** Null if nobody is signed in. */
    find: (request: Request): Viewer | null => identityOf(request).viewer,
    /** Checks the session again, for long-lived requests; null once it has ended. */
    again: (request: Request): Viewer | null => look(request).viewer,
    /** The user of an authenticated request. Throws `NoViewerError` for any other. */
    viewerOf(request: Request): Viewer {
      const { viewer } = identityOf(request);
      if (viewer) return viewer;
      throw new NoViewerError(`no one has logged in for ${request.method} ${request.path}`);
    },
    /** Sets the user of a request without a browser session. */
    note: (request: Request, viewer: Viewer): void =>
      void seen.set(request, { viewer, session: null, formToken: "" }),
    /** What the access token of an agent's request allows. */
    noteScope: (request: Request, scope: TokenScope): void => void scopes.set(request, scope),
    /** What the request's token allows. Agents without a token of their own may only propose edits. */
    scopeOf: (request: Request): TokenScope => scopes.get(request) ?? "propose",
    /** The admin, or a person, with the zone of their times. */
    admin: (): Viewer => admin,
    person: personViewer,
    /** The browser session of the viewer; null for a proxy or a program. */
    sessionOf: (request: Request): BrowserSession | null => identityOf(request).session,
    /** The token of every form for this viewer. */
    formToken: (request: Request): string => identityOf(request).formToken,
    /** The user named by a trusted proxy, known or not; null without one. */
    proxied: (request: Request): string | null => identity.of(request),
    /** Starts a session of a person, or of the admin (null). */
    logIn(
      request: Request,
      { person, way }: { readonly person: Person | null; readonly way: LogInWay },
    ): BegunSession {
      const proxied = identity.of(request);
      if (person) noteLanguage(person.id, request);
      return sessions.begin(request, { person: person?.id ?? null, way, proxied });
    },
    /** Ends the browser session; returns the value of the `Set-Cookie` header that deletes the cookie. */
    logOut: (request: Request): string => sessions.end(request),
  };
}

/** What the forms, links and times of the requested page need. */
export const frameOf = (
  { req }: Response,
  viewers: Pick<Viewers, "viewerOf" | "formToken">,
): FormFrame => ({
  root: rootOf(req),
  formToken: viewers.formToken(req),
  zone: viewers.viewerOf(req).zone,
});
