import { describe, expect, it } from "vitest";
import { object, vevent } from "../../packages/caldav-server/test/protocol/world.ts";
import { personId, projectId } from "../../src/domain/ids.ts";
import { startDav } from "../support/dav-server.ts";
import { anEvent } from "../support/items.ts";
import { calendar, pushRig, registration, startPushService } from "./push-rig.ts";

const asked = `<propfind xmlns="DAV:" xmlns:P="https://bitfire.at/webdav-push"><prop><P:transports/><P:topic/><P:supported-triggers/><sync-token/></prop></propfind>`;

const textOf = (name: string, text: string): string =>
  new RegExp(`<(?:[\\w]+:)?${name}(?: [^>]*)?>([^<]*)<`).exec(text)?.[1] ?? "";

async function withService() {
  return { rig: await pushRig(), service: await startPushService() };
}

describe("WebDAV-Push", () => {
  it("is announced only by calendars and the home, each with its own topic", async () => {
    const { call, bare, vapidKey, secrets, as } = await pushRig();
    const topics = new Set<string>();
    for (const path of [calendar, "/dav/calendars/11/tasks-3001/", "/dav/calendars/11/"]) {
      const { headers, text } = await call(`PROPFIND ${path}`, {
        headers: { depth: "0" },
        body: asked,
      });
      expect(headers["dav"]).toMatch(/calendar-access, webdav-push$/);
      expect(textOf("vapid-public-key", text)).toBe(vapidKey);
      expect(text).toContain('type="p256ecdsa"');
      expect(text).toMatch(/<content-update [^>]+><d:depth>1<.*<property-update [^>]+><d:depth>0</);
      topics.add(textOf("topic", text));
      expect((await call(`OPTIONS ${path}`)).headers["allow"]).toMatch(/\bPOST\b/);
    }
    const mine = { headers: { ...as("ben@example.com", secrets.ben), depth: "0" }, body: asked };
    topics.add(textOf("topic", (await bare("PROPFIND /dav/calendars/12/events-2001/", mine)).text));
    expect(topics.size).toBe(4);
    const principal = await call("PROPFIND /dav/principals/11/", {
      headers: { depth: "0" },
      body: asked,
    });
    expect(textOf("topic", principal.text)).toBe("");
    const { call: without } = await startDav();
    expect((await without(`OPTIONS ${calendar}`)).headers["dav"]).not.toContain("push");
    expect((await without(`POST ${calendar}`)).status).toBe(405);
  });

  it.each(["new", "old"] as const)(
    "accepts the %s form of a registration, and its owner can end it",
    async (form) => {
      const { rig, service } = await withService();
      const program = await service.program(rig.vapidKey);
      const made = await rig.register(program, { form });
      expect(made.status).toBe(201);
      const location = made.headers["location"] ?? "";
      expect(location).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dav\/principals\/11\/push\/\w+$/);
      const days =
        (Date.parse(made.headers["expires"] ?? "") - rig.clock().epochMilliseconds) / 864e5;
      expect(days).toBeGreaterThanOrEqual(3);
      const again = await rig.register(program, { form });
      expect([again.status, again.headers["location"]]).toEqual([204, location]);
      const path = new URL(location).pathname;
      const bens = { headers: rig.as("ben@example.com", rig.secrets.ben) };
      expect((await rig.bare(`DELETE ${path}`, bens)).status).toBe(403);
      expect((await rig.call(`DELETE ${path}`)).status).toBe(204);
      expect((await rig.call(`DELETE ${path}`)).status).toBe(404);
      rig.store.mirror.put(anEvent(1), "events:2001");
      await rig.step();
      expect(program.messages()).toEqual([]);
    },
  );

  it.each([
    ["nothing", "", 400],
    ["another document", '<propfind xmlns="DAV:"/>', 400],
    ["no subscription", '<push-register xmlns="https://bitfire.at/webdav-push"/>', 403],
    [
      "another protocol",
      registration({ keys: keysWith({ resource: "file:///etc/passwd" }) }, "new"),
      403,
    ],
    ["a short key", registration({ keys: keysWith({ publicKey: "BA" }) }, "new"), 403],
    ["a wrong secret", registration({ keys: keysWith({ authSecret: "not base64!" }) }, "new"), 403],
    [
      "another encoding",
      registration({ keys: keysWith({}) }, "new").replace("aes128gcm", "aesgcm"),
      403,
    ],
  ])("refuses a registration with %s", async (_what, body, status) => {
    const { call, store } = await pushRig();
    const answer = await call(`POST ${calendar}`, { body });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.text).toContain("invalid-subscription");
    expect(store.pushRegistrations.isEmpty()).toBe(true);
  });

  it("sends topic and new sync-token once for each change, and combines bursts", async () => {
    const rig = await pushRig();
    const program = await (await startPushService()).program(rig.vapidKey);
    await rig.register(program);
    await rig.step();
    expect(program.messages()).toEqual([]);
    rig.store.mirror.put(anEvent(1), "events:2001");
    await rig.step();
    await rig.step();
    const { text } = await rig.call(`PROPFIND ${calendar}`, {
      headers: { depth: "0" },
      body: asked,
    });
    const [message = ""] = program.messages();
    expect(program.messages()).toHaveLength(1);
    expect(textOf("topic", message)).toBe(textOf("topic", text));
    expect(textOf("sync-token", message)).toBe(textOf("sync-token", text));
    for (const id of [2, 3, 4]) {
      rig.store.mirror.put(anEvent(id), "events:2001");
      rig.pass(0.5);
      await rig.step();
    }
    expect(program.messages()).toHaveLength(1);
    rig.pass(1);
    await rig.step();
    expect(program.messages()).toHaveLength(2);
  });

  it("notifies nobody about items they cannot see or other calendars", async () => {
    const rig = await pushRig();
    const program = await (await startPushService()).program(rig.vapidKey);
    await rig.register(program);
    const hidden = { private: true, creatorId: personId(12), assigned: [personId(12)] };
    rig.store.mirror.put(anEvent(1, hidden), "events:2001");
    rig.store.mirror.put(anEvent(2, { projectId: projectId(2002) }), "events:2002");
    await rig.step();
    expect(program.messages()).toEqual([]);
  });

  it("reports a new name of the calendar only if requested", async () => {
    const { rig, service } = await withService();
    const [both, content] = [
      await service.program(rig.vapidKey),
      await service.program(rig.vapidKey),
    ];
    await rig.register(both);
    await rig.register(content, { form: "old" });
    const [project] = rig.store.directory.projects();
    if (project) rig.store.directory.putProjects([{ ...project, title: "Web shop" }], true);
    await rig.step();
    expect(both.messages()).toEqual([expect.stringContaining("<P:property-update/>")]);
    expect(content.messages()).toEqual([]);
  });

  it("does not notify the program that made the change, if it asks for that", async () => {
    const { rig, service } = await withService();
    const [own, other] = [await service.program(rig.vapidKey), await service.program(rig.vapidKey)];
    const { headers } = await rig.register(own);
    await rig.register(other);
    await rig.call(`PUT ${calendar}new.ics`, {
      headers: { "content-type": "text/calendar", "push-dont-notify": `"${headers["location"]}"` },
      body: object(vevent("new")),
    });
    await rig.step();
    expect([own, other].map((program) => program.messages().length)).toEqual([0, 1]);
    rig.pass(3);
    await rig.call(`PUT ${calendar}newer.ics`, {
      headers: { "content-type": "text/calendar", "push-dont-notify": "*" },
      body: object(vevent("newer")),
    });
    await rig.step();
    expect([own, other].map((program) => program.messages().length)).toEqual([0, 1]);
  });

  it("drops a program that its push service no longer knows, and retries after an outage", async () => {
    const { rig, service } = await withService();
    const [gone, there] = [
      await service.program(rig.vapidKey),
      await service.program(rig.vapidKey),
    ];
    await rig.register(gone);
    await rig.register(there);
    gone.unsubscribe();
    rig.store.mirror.put(anEvent(1), "events:2001");
    await rig.step();
    expect(rig.store.pushRegistrations.list()).toHaveLength(1);
    expect(there.messages()).toHaveLength(1);
    service.answers.status = 503;
    rig.pass(3);
    rig.store.mirror.put(anEvent(2), "events:2001");
    await rig.step();
    expect(there.messages()).toHaveLength(1);
    service.answers.status = null;
    rig.pass(90);
    await rig.step();
    expect(there.messages()).toHaveLength(2);
  });

  it("does not wait for a push service that hangs", async () => {
    const rig = await pushRig();
    const [hanging, working] = [await startPushService(), await startPushService()];
    await rig.register(await hanging.program(rig.vapidKey));
    const program = await working.program(rig.vapidKey);
    await rig.register(program);
    hanging.answers.status = "none";
    rig.store.mirror.put(anEvent(1), "events:2001");
    const step = rig.step();
    await expect.poll(program.messages).toHaveLength(1);
    hanging.close();
    await step;
  });

  it("notifies a person's newest 20 programs about a calendar", async () => {
    const { rig, service } = await withService();
    for (let index = 0; index < 22; index += 1)
      await rig.register(await service.program(rig.vapidKey));
    const ids = rig.store.pushRegistrations.of(personId(11)).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 20 }, (_, index) => index + 3));
  });

  it.each(["another password", "no password", "two weeks", "a new key"])(
    "ends with %s",
    async (what) => {
      const rig = await pushRig();
      const program = await (await startPushService()).program(rig.vapidKey);
      await rig.register(program);
      if (what === "another password") rig.passwords.issue(personId(11));
      else if (what === "no password") rig.passwords.clear(personId(11));
      else if (what === "two weeks") rig.pass(15 * 24 * 60 * 60);
      rig.store.mirror.put(anEvent(1), "events:2001");
      await (what === "a new key" ? rig.stepWithNewKey() : rig.step());
      expect(rig.store.pushRegistrations.isEmpty()).toBe(true);
      expect(program.messages()).toEqual([]);
    },
  );

  it("sends nothing into the local network unless the operator allows it", async () => {
    const rig = await pushRig({ push: "public" });
    const program = await (await startPushService()).program(rig.vapidKey);
    await rig.register(program);
    rig.store.mirror.put(anEvent(1), "events:2001");
    await rig.step();
    expect(program.messages()).toEqual([]);
  });
});

function keysWith(wrong: Readonly<Record<string, string>>) {
  return {
    resource: "https://push.example.com/1",
    publicKey: Buffer.alloc(65, 4).toString("base64url"),
    authSecret: Buffer.alloc(16, 1).toString("base64url"),
    ...wrong,
  };
}
