import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { anyAddress, publicOnly } from "../../src/remote/address-guard.ts";
import { postMessage, type Webhook, type WebhookMessage } from "../../src/remote/webhook.ts";
import { aReceiver } from "../support/receiver.ts";

const message: WebhookMessage = {
  id: "0123@i.dayferry",
  title: "Über: nothing\nmore",
  text: "The disk is full.",
  priority: 4,
  tags: ["warning", "floppy_disk"],
  click: "https://calendar.example.com/status",
  data: { version: 1, text: "ü" },
};

const limits = {
  allows: anyAddress,
  timeout: Temporal.Duration.from({ seconds: 5 }),
  signal: new AbortController().signal,
  clock: () => Temporal.Instant.from("2026-11-24T08:00:00.900Z"),
};

const aHook = (url: string, more: Partial<Webhook> = {}): Webhook => ({
  url,
  format: "json",
  token: null,
  secret: null,
  ...more,
});

describe("postMessage()", () => {
  it("posts JSON with its id, the token, and a signature over both and the time", async () => {
    const receiver = await aReceiver();
    const webhook = aHook(receiver.url, { token: "t0ken-of-mine", secret: "s3cret-of-mine" });
    expect(await postMessage({ webhook, message }, limits)).toEqual({
      kind: "sent",
      response: "answered 200",
    });
    const [got] = receiver.received;
    const signed = `0123@i.dayferry.1795507200.${got?.body}`;
    const keyed = () => createHmac("sha256", "s3cret-of-mine");
    const signature = keyed().update(signed).digest("base64");
    const stamped = keyed().update(`1795507200.${got?.body}`).digest("hex");
    expect(got?.data).toEqual({ version: 1, text: "ü" });
    expect(got?.headers).toMatchObject({
      authorization: "Bearer t0ken-of-mine",
      "content-type": "application/json; charset=utf-8",
      "webhook-id": "0123@i.dayferry",
      "webhook-timestamp": "1795507200",
      "webhook-signature": `v1,${signature}`,
      "dayferry-signature": `t=1795507200,v1=${stamped}`,
    });
  });

  it("writes for ntfy what its headers can carry", async () => {
    const receiver = await aReceiver("/alerts");
    const webhook = aHook(receiver.url, { format: "ntfy" });
    const long = { ...message, text: "ü".repeat(5000) };
    await postMessage({ webhook, message: long }, limits);
    const [got] = receiver.received;
    expect(got?.headers).toMatchObject({
      title: `=?UTF-8?B?${Buffer.from("Über: nothing more").toString("base64")}?=`,
      priority: "4",
      tags: "warning,floppy_disk",
      click: "https://calendar.example.com/status",
      "x-sequence-id": "0123_i_dayferry",
    });
    expect(got?.body).toBe(`${"ü".repeat(2000)} …`);
  });

  it.each([
    [204, "sent"],
    [301, "rejected"],
    [307, "rejected"],
    [400, "rejected"],
    [401, "rejected"],
    [404, "rejected"],
    [408, "deferred"],
    [413, "rejected"],
    [425, "deferred"],
    [429, "deferred"],
    [500, "deferred"],
    [503, "deferred"],
    [0, "deferred"],
  ])("reads the answer %i as %s and names no secret", async (status, kind) => {
    const receiver = await aReceiver();
    receiver.status = status;
    const webhook = aHook(receiver.url, { token: "t0ken-of-mine" });
    const posted = await postMessage({ webhook, message }, limits);
    expect(posted).toMatchObject({ kind });
    expect(JSON.stringify(posted)).not.toMatch(/secret|t0ken/);
    expect(receiver.received).toHaveLength(1);
  });

  it("sends nothing into a private network unless that is allowed", async () => {
    const receiver = await aReceiver();
    const guarded = { ...limits, allows: publicOnly };
    expect(await postMessage({ webhook: aHook(receiver.url), message }, guarded)).toMatchObject({
      kind: "rejected",
      message: "its address is in a private network, which is not allowed here",
    });
    // A private name gives the same answer as a missing one.
    const ofName = (name: string) => {
      const webhook = aHook(receiver.url.replace("127.0.0.1", name));
      return postMessage({ webhook, message }, guarded);
    };
    expect(await ofName("localhost")).toEqual(await ofName("nobody.invalid"));
    expect(receiver.received).toEqual([]);
  });

  it("defers what nobody accepts", async () => {
    const webhook = aHook("http://127.0.0.1:9/x");
    expect(await postMessage({ webhook, message }, limits)).toMatchObject({
      kind: "deferred",
      code: null,
    });
  });
});
