import { httpDate } from "@dayferry/http-values";
import type { Calendar, PushSupport } from "../backend.ts";
import type { DavAnswer, DavContext, DavPaths, DavRequest } from "../dav-request.ts";
import { faultAnswer, missingFault, refusalFault } from "../fault.ts";
import { hostOf, isOwn, otherPersonFault } from "../paths.ts";
import { element } from "../xml/write-xml.ts";
import { pushNamespace } from "../xml/xml-names.ts";
import { readRegistration } from "./read-registration.ts";

/** POST to a calendar, or to the home (null): registers a program for messages about changes. */
export function registerAnswer(
  context: DavContext,
  request: DavRequest & { readonly calendar: Calendar | null; readonly push: PushSupport },
): DavAnswer {
  const { person, paths, origin } = context;
  const wish = readRegistration(request);
  if (!wish.ok) return faultAnswer(wish.failure);
  const made = request.push.register(person, request.calendar, wish.value);
  if (!made.ok) return faultAnswer(refusalFault(made.failure, context));
  const { id, isNew, expires } = made.value;
  const path = paths.of({ kind: "registration", person: String(person.id), id });
  return {
    status: isNew ? 201 : 204,
    headers: { Location: `${origin}${path}`, Expires: httpDate(expires) },
  };
}

/** DELETE of a registration, by its owner only. */
export function unregisterAnswer(
  context: DavContext,
  { target }: { readonly target: Extract<DavRequest["target"], { readonly kind: "registration" }> },
): DavAnswer {
  if (!isOwn(target, context)) return faultAnswer(otherPersonFault(target, context));
  const isEnded = context.backend.push?.unregister(context.person, target.id) ?? false;
  return isEnded ? { status: 204 } : faultAnswer(missingFault());
}

/**
 * Registrations that are not notified of a change: those of the program that makes it. Source: draft-bitfire-webdav-push,
 * `Push-Dont-Notify`: `*`, or a list of quoted addresses.
 */
export function unnotifiedBy(
  header: string,
  paths: Pick<DavPaths, "read">,
): readonly string[] | "all" {
  if (header.trim() === "*") return "all";
  return [...header.matchAll(/"([^"]*)"/g)].flatMap(([, address = ""]) => {
    const target =
      hostOf(address) === null && !address.startsWith("/") ? null : paths.read(address);
    return target?.kind === "registration" ? [target.id] : [];
  });
}

/** Content of the property `transports`: Web Push with the server's VAPID key. */
export const transports = (vapidKey: string): string =>
  `<web-push xmlns="${pushNamespace}"><vapid-public-key type="p256ecdsa">${vapidKey}</vapid-public-key></web-push>`;

/** Content of the property `supported-triggers`. */
export const supportedTriggers =
  `<content-update xmlns="${pushNamespace}">${element("d:depth", "1")}</content-update>` +
  `<property-update xmlns="${pushNamespace}">${element("d:depth", "0")}</property-update>`;

/** The changes of a topic. `syncToken`: of the calendar's new content; null if that has not changed. */
export interface PushNews {
  readonly topic: string;
  readonly syncToken: string | null;
  /** True if the description of the calendar, or of the home, has changed. */
  readonly properties: boolean;
}

/** The body of a message, before encryption. */
export function pushMessage({ topic, syncToken, properties }: PushNews): string {
  const content =
    syncToken === null
      ? ""
      : `<P:content-update><sync-token>${syncToken}</sync-token></P:content-update>`;
  const update = properties ? "<P:property-update/>" : "";
  return `<?xml version="1.0" encoding="utf-8"?>\n<P:push-message xmlns="DAV:" xmlns:P="${pushNamespace}"><P:topic>${topic}</P:topic>${content}${update}</P:push-message>`;
}
