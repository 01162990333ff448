import { createECDH, hkdfSync } from "node:crypto";
import { guardedPost, type PostDeps, type Posted } from "./guarded-post.ts";

/** A program's address at its push service, and the keys of messages to it, in base64url. */
export interface PushSubscription {
  readonly resource: string;
  readonly publicKey: string;
  readonly authSecret: string;
}

/** Identifies this server to push services, in base64url. Source: RFC 8292. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** The same keys for the same secret, so that they need no file of their own. */
export function vapidKeysOf(secret: Uint8Array): VapidKeys {
  const curve = createECDH("prime256v1");
  for (let attempt = 0; ; attempt += 1) {
    const scalar = Buffer.from(hkdfSync("sha256", secret, "", `WebDAV-Push VAPID ${attempt}`, 32));
    try {
      curve.setPrivateKey(scalar);
    } catch {
      // One of 2^32 numbers is not a key of this curve.
      continue;
    }
    const privateKey = scalar.toString("base64url");
    return { privateKey, publicKey: curve.getPublicKey("base64url") };
  }
}

interface PushMessage {
  readonly subscription: PushSubscription;
  readonly body: string;
  /** Replaces an undelivered message with the same topic: at most 32 characters of base64url. */
  readonly topic: string;
  readonly vapid: VapidKeys;
  /** Contact of the operator, for push services. */
  readonly contact: string;
}

/** How long a push service keeps a message for a phone that is off. */
const keptSeconds = 24 * 60 * 60;

/** Encrypts and posts one message. Source: RFC 8030, RFC 8291. */
export async function postWebPush(
  { subscription, body, topic, vapid, contact }: PushMessage,
  deps: PostDeps,
): Promise<Posted> {
  const { resource, publicKey, authSecret } = subscription;
  const { default: webPush } = await import("web-push");
  const request = webPush.generateRequestDetails(
    { endpoint: resource, keys: { p256dh: publicKey, auth: authSecret } },
    body,
    {
      vapidDetails: { subject: `mailto:${contact}`, ...vapid },
      TTL: keptSeconds,
      urgency: "normal",
      topic,
      contentEncoding: "aes128gcm",
    },
  );
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return guardedPost(
    {
      url: new URL(resource),
      headers: Object.fromEntries(headers),
      body: request.body ?? Buffer.alloc(0),
    },
    deps,
  );
}
