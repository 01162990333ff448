import { fail, ok, type Result } from "@dayferry/ical";
import type { PushRequest } from "../backend.ts";
import type { DavRequest } from "../dav-request.ts";
import { bodyFault, type DavFault, xmlFault } from "../fault.ts";
import { childOf, documentOf, isNamed, xmlTextOf } from "../xml/read-xml.ts";
import { push, type XmlElement } from "../xml/xml-names.ts";

/** Longest address of a push service, and longest key. */
const longestAddress = 2000;
const longestKey = 200;

/**
 * The registration in the body of a POST. DAVx5 up to 4.5.19 sends neither `trigger` nor `content-encoding`, so that nothing but
 * the subscription is required. Source: draft-bitfire-webdav-push.
 */
export function readRegistration(request: DavRequest): Result<PushRequest, DavFault> {
  const xml = documentOf(request);
  if (!xml.ok) return fail(xmlFault(xml.failure));
  if (!xml.value || !isNamed(xml.value, push("push-register"))) {
    return fail(bodyFault("the body is not a push-register of WebDAV-Push"));
  }
  const subscription = childOf(xml.value, push("subscription"));
  const webPush = subscription && childOf(subscription, push("web-push-subscription"));
  if (!webPush) return fail(invalid("it has no web-push-subscription"));
  const text = (name: string) => textOf(webPush, name);
  const resource = URL.parse(text("push-resource") ?? "");
  if (!resource || !/^https?:$/.test(resource.protocol) || resource.href.length > longestAddress) {
    return fail(invalid("push-resource is not an address of a push service"));
  }
  const encoding = text("content-encoding");
  if (encoding !== null && encoding !== "aes128gcm") {
    return fail(invalid(`the content-encoding ${encoding} is not supported: use aes128gcm`));
  }
  const [publicKey, authSecret] = [text("subscription-public-key"), text("auth-secret")];
  if (!isKey(publicKey, 65) || !isKey(authSecret, 16)) {
    return fail(invalid("subscription-public-key and auth-secret must be keys of RFC 8291"));
  }
  const trigger = childOf(xml.value, push("trigger"));
  const asked = (name: string) => trigger !== null && childOf(trigger, push(name)) !== null;
  const isAny = asked("content-update") || asked("property-update");
  return ok({
    resource: resource.href,
    publicKey,
    authSecret,
    content: !isAny || asked("content-update"),
    properties: asked("property-update"),
    expires: momentIn(textOf(xml.value, "expires")),
  });
}

/** A subscription that cannot be used. Source: draft-bitfire-webdav-push, `invalid-subscription`. */
const invalid = (reason: string): DavFault => ({
  status: 403,
  precondition: push("invalid-subscription"),
  reason,
});

function textOf(parent: XmlElement, name: string): string | null {
  const child = childOf(parent, push(name));
  return child && xmlTextOf(child);
}

/** True for base64url, with or without padding, of this many octets. */
const isKey = (text: string | null, octets: number): text is string =>
  text !== null &&
  text.length <= longestKey &&
  /^[\w-]+={0,2}$/.test(text) &&
  Buffer.from(text, "base64url").length === octets;

/** Null for no date of HTTP. */
function momentIn(text: string | null): Temporal.Instant | null {
  const milliseconds = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(milliseconds) ? null : Temporal.Instant.fromEpochMilliseconds(milliseconds);
}
