import { createHmac } from "node:crypto";
import { guardedPost, type Outgoing, type PostDeps, type Posted } from "./guarded-post.ts";

/** A webhook. Everything but the format is secret. */
export interface Webhook {
  readonly url: string;
  readonly format: "json" | "ntfy";
  /** Sent as `Authorization: Bearer`; null = none. */
  readonly token: string | null;
  /** Signs each message; null = unsigned. */
  readonly secret: string | null;
}

export interface WebhookMessage {
  /** The same if the message is repeated, so that a receiver can drop the second one. */
  readonly id: string;
  readonly title: string;
  /** The message as plain text. */
  readonly text: string;
  /** As in ntfy: 1 to 5, 3 is the default. */
  readonly priority: 1 | 2 | 3 | 4 | 5;
  /** Names of emojis or words. */
  readonly tags: readonly string[];
  /** The URL opened by a click; null = none. */
  readonly click: string | null;
  /** The body, where JSON is sent. */
  readonly data: object;
}

interface WebhookSenderDeps extends PostDeps {
  readonly clock: () => Temporal.Instant;
}

/** Posts one message to a webhook. */
export async function postMessage(
  to: { readonly webhook: Webhook; readonly message: WebhookMessage },
  { clock, ...deps }: WebhookSenderDeps,
): Promise<Posted> {
  const url = URL.parse(to.webhook.url);
  if (!url) return { kind: "rejected", code: null, message: "its address cannot be read" };
  return guardedPost(outgoingOf(to, { url, now: clock() }), deps);
}

function outgoingOf(
  { webhook, message }: { readonly webhook: Webhook; readonly message: WebhookMessage },
  { url, now }: { readonly url: URL; readonly now: Temporal.Instant },
): Outgoing {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  const login = loginOf(url, webhook.token);
  const { body, headers } = webhook.format === "ntfy" ? ntfyOf(message) : jsonOf(message);
  return {
    url: bare,
    body,
    headers: {
      ...headers,
      "content-length": `${body.byteLength}`,
      "user-agent": "Dayferry",
      ...(login !== null && { authorization: login }),
      ...signatureOf({ body, id: message.id, secret: webhook.secret, now }),
    },
  };
}

function loginOf({ username, password }: URL, token: string | null): string | null {
  if (token !== null) return `Bearer ${token}`;
  if (username === "" && password === "") return null;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(login).toString("base64")}`;
}

type Content = Pick<Outgoing, "headers" | "body">;

const jsonOf = ({ data }: WebhookMessage): Content => ({
  headers: { "content-type": "application/json; charset=utf-8" },
  body: Buffer.from(JSON.stringify(data)),
});

/** ntfy turns longer texts into attachments. Source: https://docs.ntfy.sh/publish/ (limitations). */
const longestText = 4000;

/** Source: https://docs.ntfy.sh/publish/ (headers; titles beyond ASCII as encoded words, RFC 2047). */
function ntfyOf({ id, title, text, priority, tags, click }: WebhookMessage): Content {
  return {
    headers: {
      "content-type": "text/plain; charset=utf-8",
      title: headerText(title),
      priority: `${priority}`,
      ...(tags.length > 0 && { tags: tags.join(",") }),
      ...(click !== null && { click: headerText(click) }),
      // A message with the same one replaces the first, if the server supports it.
      "x-sequence-id": id.replaceAll(/[^\w-]/g, "_").slice(0, 64),
    },
    body: Buffer.from(shortened(text)),
  };
}

const headerText = (text: string): string => {
  const line = text.toWellFormed().replaceAll(/[\p{Cc}\s]+/gu, " ");
  if (/^[\x20-\x7e]*$/.test(line) && !line.includes("=?")) return line;
  return `=?UTF-8?B?${Buffer.from(line).toString("base64")}?=`;
};

function shortened(text: string): string {
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.byteLength <= longestText) return bytes.toString();
  // A truncated character is removed.
  const cut = bytes.subarray(0, longestText).toString().replace(/�+$/, "");
  return `${cut.trimEnd()} …`;
}

/**
 * Two forms of one signature, as receivers verify either. Sources: https://www.standardwebhooks.com (headers `webhook-…`; secrets
 * with `whsec_` are base64); https://docs.stripe.com/webhooks/signature (`t=…,v1=…` with the secret as it is, in hexadecimal).
 */
function signatureOf(signed: {
  readonly body: Buffer;
  readonly id: string;
  readonly secret: string | null;
  readonly now: Temporal.Instant;
}): Readonly<Record<string, string>> {
  const { body, id, secret, now } = signed;
  const timestamp = `${Math.floor(now.epochMilliseconds / 1000)}`;
  const head = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (secret === null) return head;
  const key = secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret);
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
  const stamped = createHmac("sha256", secret).update(`${timestamp}.`).update(body);
  return {
    ...head,
    "webhook-signature": `v1,${signature.digest("base64")}`,
    "dayferry-signature": `t=${timestamp},v1=${stamped.digest("hex")}`,
  };
}
