import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { PushApiModel } from "web-push-testing/src/PushApiModel.js";
import { createPush, type Push } from "../../src/calendars/push-support.ts";
import { createLog } from "../../src/log.ts";
import { type PushKeys, pushJob, pushKeysOf } from "../../src/modules/open-push.ts";
import { startDav } from "../support/dav-server.ts";

export const calendar = "/dav/calendars/11/events-2001/";

/**
 * A push service on loopback, which decrypts what it receives. `status`: its answer to every message; null for its own,
 * "none" for none.
 */
export async function startPushService() {
  const model = new PushApiModel();
  const answers: { status: number | "none" | null } = { status: null };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const hash = (request.url ?? "").split("/").at(-1) ?? "";
      const { authorization, ttl } = request.headers;
      const headers = { encoding: request.headers["content-encoding"], authorization, ttl };
      if (answers.status === null) {
        void model.handleNotification(hash, headers, Buffer.concat(chunks)).then(
          () => response.writeHead(201).end(),
          () => response.writeHead(410).end(),
        );
      } else if (answers.status !== "none") response.writeHead(answers.status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => server.close().closeAllConnections();
  onTestFinished(close);
  model.notifyUrl = `http://127.0.0.1:${Object(server.address()).port}/notify/`;
  return {
    answers,
    close,
    /** A subscribed program, and the messages it received. */
    async program(vapidKey: string) {
      const { endpoint, keys, clientHash } = await model.subscribe({
        userVisibleOnly: "true",
        applicationServerKey: vapidKey,
      });
      return {
        keys: { resource: endpoint, publicKey: keys.p256dh, authSecret: keys.auth },
        messages: (): readonly string[] => model.getNotifications({ clientHash }).messages,
        unsubscribe: () => model.expireSubscription(clientHash),
      };
    },
  };
}

export type Program = Awaited<ReturnType<Awaited<ReturnType<typeof startPushService>>["program"]>>;

/** A CalDAV server that sends push messages to services on loopback, or to public ones only. */
export async function pushRig({ push: reach = "any" }: { push?: "any" | "public" } = {}) {
  const keys = pushKeysOf({ mailKey: Buffer.alloc(32, 7) });
  let push: Push | null = null;
  const dav = await startDav({
    publicUrl: "own",
    push({ store, calendars, clock }) {
      const vapidKey = () => keys.vapid().publicKey;
      const randomId = () => randomBytes(12).toString("hex");
      push = createPush({ store, calendars, vapidKey, seal: keys.seal, clock, randomId });
      return push;
    },
  });
  if (!push) throw new Error("the server has no push");
  const made: Push = push;
  const base = {
    store: dav.store,
    clock: dav.clock,
    random: () => 0,
    log: createLog({ level: "silent" }),
    config: { calendars: { push: reach }, service: { contact: "ops@example.com" } },
  } as const;
  const { signal } = new AbortController();
  const stepWith = (own: PushKeys) => pushJob(base, { push: made, keys: own, signal }).step(signal);
  const { step } = pushJob(base, { push, keys, signal });
  return {
    ...dav,
    vapidKey: keys.vapid().publicKey,
    step: () => step(signal),
    /** A step after the key of the data directory was replaced. */
    stepWithNewKey: () => stepWith(pushKeysOf({ mailKey: Buffer.alloc(32, 8) })),
    pass: (seconds: number) =>
      dav.clock.set(
        dav
          .clock()
          .add({ milliseconds: seconds * 1000 })
          .toString(),
      ),
    /** Registers a program as the draft says, or as DAVx5 up to 4.5.19 did. */
    register: (
      program: Program,
      { form = "new", path = calendar, headers = {} }: Registering = {},
    ) =>
      dav.call(`POST ${path}`, {
        headers: { "content-type": "application/xml", ...headers },
        body: registration(program, form),
      }),
  };
}

interface Registering {
  readonly form?: "new" | "old";
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function registration({ keys }: Pick<Program, "keys">, form: "new" | "old"): string {
  const encoding = form === "new" ? "<content-encoding>aes128gcm</content-encoding>" : "";
  const trigger =
    form === "new"
      ? '<trigger><content-update><depth xmlns="DAV:">1</depth></content-update><property-update><depth xmlns="DAV:">0</depth></property-update></trigger>'
      : "";
  return `<?xml version="1.0" encoding="utf-8"?>
<push-register xmlns="https://bitfire.at/webdav-push"><subscription><web-push-subscription>
<push-resource>${keys.resource}</push-resource>${encoding}
<subscription-public-key type="p256dh">${keys.publicKey}</subscription-public-key>
<auth-secret>${keys.authSecret}</auth-secret>
</web-push-subscription></subscription>${trigger}</push-register>`;
}
