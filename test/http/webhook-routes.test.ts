import { describe, expect, it } from "vitest";
import { aReceiver } from "../support/receiver.ts";
import { ana, ben, startApp, token } from "./people-rig.ts";

const form = { accept: "text/html", "content-type": "application/x-www-form-urlencoded" };

async function place() {
  const receiver = await aReceiver();
  const rig = await startApp({ hook: receiver.url });
  async function browser(values: Readonly<Record<string, string>>) {
    const { headers } = await rig.call("POST /login", {
      headers: form,
      body: new URLSearchParams(values).toString(),
    });
    const cookie = headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    const look = (path: string) =>
      rig.call(`GET ${path}`, { headers: { accept: "text/html", cookie } });
    return {
      look,
      press: async (path: string, said: Readonly<Record<string, string>>) => {
        const { text } = await look(path);
        const [, given = ""] = /name="form" value="([^"]+)"/.exec(text) ?? [];
        const body = new URLSearchParams({ form: given, ...said }).toString();
        return rig.call(`POST ${path}`, { headers: { ...form, cookie }, body });
      },
    };
  }
  return {
    ...rig,
    receiver,
    asAdmin: () => browser({ token }),
    asAna: () => browser({ login: "11", password: rig.passwords.issue(ana) }),
    asBen: () => browser({ login: "12", password: rig.passwords.issue(ben) }),
  };
}

const topic = "https://ntfy.example.com/topic-that-nobody-guesses";

describe("/me/webhook", () => {
  it("stores where reminders go, shows only its host, and removes it", async () => {
    const { asAna, store, lines } = await place();
    const { look, press } = await asAna();
    expect((await look("/me")).text).toContain("go by mail alone");
    const saved = await press("/me/webhook", {
      do: "save",
      url: topic,
      format: "ntfy",
      token: "tk_of-ana",
      mail: "on",
    });
    expect(saved.text).toContain("Saved.");
    const { text } = await look("/me/webhook");
    expect(text).toContain("ntfy.example.com");
    expect(text).not.toMatch(/nobody-guesses|tk_of-ana/);
    expect((await look("/me")).text).toContain("ntfy.example.com</bdi> and by mail");
    expect(store.personWebhooks.get(ana)).toMatchObject({ format: "ntfy", withMail: true });
    await press("/me/webhook", { do: "remove", confirmed: "yes" });
    expect(store.personWebhooks.get(ana)).toBeNull();
    expect(lines.join("")).not.toMatch(/nobody-guesses|tk_of-ana/);
  });

  it("refuses addresses in private networks, and forms without a session", async () => {
    const { asAna, store, call } = await place();
    const { press } = await asAna();
    const refused = await press("/me/webhook", { do: "save", url: "http://10.0.0.7/x" });
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining("is in a private network"),
    ]);
    expect((await call("POST /me/webhook", { headers: form, body: "do=remove" })).status).not.toBe(
      200,
    );
    expect(store.personWebhooks.list()).toEqual([]);
  });

  it("sends a test, also to what the configuration names", async () => {
    const { asBen, receiver } = await place();
    const { look, press } = await asBen();
    expect((await look("/me/webhook")).text).toContain("the configuration");
    expect((await press("/me/webhook", { do: "test" })).text).toContain("Test message sent");
    expect(receiver.received.map(({ data }) => data)).toMatchObject([
      { version: 1, event: "test", person: { id: 12, name: "Ben" } },
    ]);
    receiver.status = 403;
    const failed = await press("/me/webhook", { do: "test" });
    expect([failed.status, failed.text]).toEqual([
      422,
      expect.stringContaining("rejects the token or the address (403)"),
    ]);
  });
});

it("/people/ID/webhook is for the admin alone", async () => {
  const { asAdmin, asAna, store } = await place();
  const ananas = await asAna();
  expect((await ananas.look("/people/12/webhook")).status).toBe(403);
  const admin = await asAdmin();
  expect((await admin.look("/people")).text).toContain("people/11/webhook");
  await admin.press("/people/11/webhook", { do: "save", url: topic, format: "json", token: "" });
  expect(store.personWebhooks.get(ana)).toMatchObject({ format: "json", withMail: false });
  expect((await admin.look("/people/99/webhook")).status).toBe(404);
  expect((await admin.look("/me/webhook")).status).toBe(303);
});
