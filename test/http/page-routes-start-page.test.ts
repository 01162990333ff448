import { describe, expect, it } from "vitest";
import type { Settlement } from "../../src/store/journal/endings.ts";
import { anEvent } from "../support/items.ts";
import { ana, startApp, token } from "./people-rig.ts";

async function signedIn() {
  const started = await startApp();
  const { headers } = await started.call(`GET /?token=${token}`);
  const cookie = (headers.get("set-cookie") ?? "").split(";", 1).join("");
  const page = async () => (await started.call("GET /", { headers: { cookie } })).text;
  const [, form = ""] = /name="form" value="([^"]+)"/.exec(await page()) ?? [];
  const press = (path: string, body = `form=${form}`) =>
    started.call(`POST ${path}`, {
      headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
      body,
    });
  const confirm = (path: string) => press(path, `form=${form}&confirmed=yes`);
  const agree = (path: string, version: string) => press(path, `form=${form}&version=${version}`);
  return { ...started, cookie, page, press, confirm, agree };
}

describe("the start page", () => {
  it("gives a new password once at the press of a button, and clears it", async () => {
    const { press, confirm, passwords, page } = await signedIn();
    const { status, text, headers } = await press("/people/11/password");
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    const [, password = ""] = /<strong>([0-9a-z-]+)<\/strong>/.exec(text) ?? [];
    expect(passwords.check("ana@example.com", password)?.id).toBe(11);
    expect(await page()).not.toContain(password);
    expect((await confirm("/people/11/password/clear")).status).toBe(303);
    expect(passwords.has(ana)).toBe(false);
    expect((await press("/people/11/password/clear")).status).toBe(404);
    expect((await press("/people/13/password")).status).toBe(409);
    expect((await press("/people/x/password")).status).toBe(404);
  });

  it("refuses forms without the session's token", async () => {
    const { press, call, passwords, store } = await signedIn();
    const edit = parkedEdit(store);
    for (const path of [
      "/people/11/password",
      "/people/11/password/clear",
      `/edits/${edit}/discard`,
    ]) {
      expect((await press(path, "")).status).toBe(403);
      expect((await press(path, "form=x")).status).toBe(403);
      expect((await call(`POST ${path}`)).status).toBe(401);
    }
    expect(passwords.has(ana)).toBe(false);
    expect(store.journal.get(edit)?.state).toBe("parked");
  });

  it("offers the Apple profile to a signed-in person", async () => {
    const { call, cookie } = await signedIn();
    const path = "GET /people/11/dayferry.mobileconfig";
    expect((await call(path)).status).toBe(401);
    const { status, headers, text } = await call(path, { headers: { cookie } });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toContain("application/x-apple-aspen-config");
    expect(text).toContain("<string>ana@example.com</string>");
    expect(text).toContain("https://calendar.example.com/base/dav/principals/11/");
    const missing = await call("GET /people/99/dayferry.mobileconfig", { headers: { cookie } });
    expect(missing.status).toBe(404);
  });

  it("lists parked edits with editor and reason, and accepts decisions", async () => {
    const { page, press, confirm, store } = await signedIn();
    expect(await page()).not.toContain("Needs a decision");
    const edit = parkedEdit(store);
    const text = await page();
    expect(text).toContain("Needs a decision");
    expect(text).toContain("<bdi>Ana &lt;b&gt;</bdi> <bdi data-spoken>renamed Review to Renamed");
    expect(text).toContain("rejected by the service");
    expect(text).toContain("<bdi>the workspace said &quot;no&quot;</bdi>");

    expect((await press(`/edits/${edit}/retry`)).status).toBe(303);
    expect(store.journal.get(edit)?.state).toBe("pending");
    expect((await press(`/edits/${edit}/retry`)).status).toBe(409);
    expect((await confirm(`/edits/${edit}/discard`)).status).toBe(303);
    expect(store.journal.get(edit)?.state).toBe("discarded");
    expect((await press("/edits/999/discard")).status).toBe(404);
    expect((await press(`/edits/${edit}/undo`)).status).toBe(409);
  });
});

it("a confirmation shows all three values, and overwrites only that version", async () => {
  const { press, agree, store, page } = await signedIn();
  const edit = parkedEdit(store, {
    kind: "park",
    reason: "conflict",
    problem: "both",
    clash: {
      before: anEvent(1, { title: "Theirs <b>" }),
      conflicts: [{ field: "title", base: "Old", ours: "Theirs <b>", theirs: "Mine", taken: null }],
    },
  });
  expect(await page()).toContain("Resolve…");
  const asked = await press(`/edits/${edit}/retry`);
  expect(asked.status).toBe(409);
  for (const value of ["Review", "Theirs &lt;b&gt;", "Renamed"]) {
    expect(asked.text).toContain(`<bdi>${value}</bdi>`);
  }
  expect(store.journal.get(edit)?.state).toBe("parked");
  const stale = await agree(`/edits/${edit}/retry`, "abc");
  expect(stale.text).toContain("The item changed since you opened this page");
  expect(store.journal.get(edit)?.state).toBe("parked");
  const version = /name="version" value="([^"]+)"/.exec(asked.text)?.[1] ?? "";
  const agreed = await agree(`/edits/${edit}/resolve`, `${version}&keep=mine`);
  expect(agreed.status).toBe(303);
  expect(store.journal.get(edit)?.state).toBe("pending");
});

const refusal: Settlement = {
  kind: "park",
  reason: "refused",
  problem: 'the workspace said "no"',
};

function parkedEdit(
  store: Awaited<ReturnType<typeof startApp>>["store"],
  settlement: Settlement = refusal,
) {
  const item = store.mirror.findUid(`event-1@${store.meta.installation}`)?.item;
  const base = item && store.view.get(item)?.item;
  if (!item || !base) throw new Error("the event is not known");
  const id = store.journal.append({
    channel: "caldav",
    actor: ana,
    item,
    action: "update",
    base,
    patch: { title: "Renamed" },
    newLabels: [],
    state: "pending",
  });
  const edit = store.journal.claimNext();
  if (!edit) throw new Error("nothing to claim");
  store.journal.settle(edit, settlement);
  return id;
}
