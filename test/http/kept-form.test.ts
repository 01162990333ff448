import { expect, it } from "vitest";
import { accessTable } from "../../src/http/access.ts";
import { ana, startApp } from "./people-rig.ts";

const site = "https://calendar.example.com";
const headers = {
  accept: "text/html",
  "content-type": "application/x-www-form-urlencoded",
  origin: site,
};
const typed = { of: "person:11", name: "Mine & <b>all</b>", kinds: "event" };
const formOf = (page: string) => /name="form" value="([^"]+)"/.exec(page)?.[1] ?? "";

/** A form of somebody whose log-in has ended, at the log-in page. */
async function loggedOut(fields: Readonly<Record<string, string>> = typed) {
  const app = await startApp();
  const password = app.passwords.issue(ana);
  const post = (
    path: string,
    values: URLSearchParams,
    more: Readonly<Record<string, string>> = {},
  ) => app.call(`POST ${path}`, { headers: { ...headers, ...more }, body: values.toString() });
  const stale = new URLSearchParams({ form: "of-an-earlier-log-in", ...fields });
  const asked = await post("/feeds", stale);
  return { ...app, password, post, stale, asked };
}

/** The fields of the page's form that leads to an address. */
function fieldsTo(page: string, action: string): URLSearchParams {
  const form = page.split("<form").find((part) => part.includes(`action="${action}"`)) ?? "";
  const unescaped = (text = "") =>
    text
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&amp;", "&");
  const fields = [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return new URLSearchParams(fields.map(([, name, value]) => [unescaped(name), unescaped(value)]));
}

const cookieOf = (answer: { readonly headers: Headers }): string =>
  answer.headers.get("set-cookie")?.split(";", 1)[0] ?? "";

it("an expired form asks to sign in, then to confirm, and is sent once", async () => {
  const { asked, post, password, store } = await loggedOut();
  expect(asked.status).toBe(403);
  expect(asked.text).toContain("Your form is kept");
  const login = fieldsTo(asked.text, "./login");
  login.set("login", "ana@example.com");
  login.set("password", password);
  const entered = await post("/login", login);
  expect(entered.status).toBe(200);
  expect(entered.text).toContain("Your form was not sent");
  expect(entered.text).toContain("Mine &amp; &lt;b&gt;all&lt;/b&gt;");
  expect(entered.text).not.toContain(password);
  const before = store.feeds.all().length;
  const again = fieldsTo(entered.text, "./feeds");
  expect(again.get("name")).toBe(typed.name);
  const sent = await post("/feeds", again, { cookie: cookieOf(entered) });
  expect(sent.status).toBe(303);
  expect(store.feeds.all()).toHaveLength(before + 1);
});

it("an expired form survives a wrong password, and signing in by mail", async () => {
  const { asked, post, password } = await loggedOut();
  const login = fieldsTo(asked.text, "./login");
  login.set("login", "ana@example.com");
  login.set("password", "wrong");
  const refused = await post("/login", login);
  expect(refused.status).toBe(403);
  expect(fieldsTo(refused.text, "./login").get("kept")).toBe(login.get("kept"));
  const mailed = await post("/login/link", login);
  const goOn = fieldsTo(mailed.text, "../feeds");
  expect(goOn.get("name")).toBe(typed.name);
  const values = new URLSearchParams({ login: "ana@example.com", password });
  const cookie = cookieOf(await post("/login", values));
  const shown = await post("/feeds", goOn, { cookie });
  expect(shown.status).toBe(403);
  expect(shown.text).toContain("Your form was not sent");
  expect(formOf(shown.text)).not.toBe("");
});

it("asks again if the form belongs to an earlier session", async () => {
  const { stale, post, password } = await loggedOut();
  const values = new URLSearchParams({ login: "ana@example.com", password });
  const cookie = cookieOf(await post("/login", values));
  const shown = await post("/feeds", stale, { cookie });
  expect(shown.status).toBe(403);
  const sent = await post("/feeds", fieldsTo(shown.text, "./feeds"), { cookie });
  expect(sent.status).toBe(303);
});

it("keeps no form that may come from another site", async () => {
  const { post, stale, call, password } = await loggedOut();
  const from = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  expect((await post("/feeds", stale, from)).text).not.toContain("kept");
  const unsaid = { accept: "text/html", "content-type": headers["content-type"] };
  const silent = await call("POST /feeds", { headers: unsaid, body: stale.toString() });
  expect([silent.status, silent.headers.get("location")]).toEqual([303, "./login"]);
  expect((await post("/logout", stale)).status).toBe(303);
  for (const to of [
    "logout",
    "login",
    "https://evil.example/",
    "//evil.example",
    "api/feeds",
    "",
  ]) {
    const kept = JSON.stringify({ to, fields: [["name", "x"]] });
    const answer = await post("/login", new URLSearchParams({ login: "11", password, kept }));
    expect([to, answer.status]).toEqual([to, 303]);
  }
  for (const kept of ["{", "[]", '{"to":"feeds","fields":[1]}', '{"to":"feeds","fields":[]}']) {
    const answer = await post("/login", new URLSearchParams({ login: "11", password, kept }));
    expect([kept, answer.status]).toEqual([kept, 303]);
  }
});

it("covers every form of a person's pages", async () => {
  const { post } = await loggedOut();
  const forms = accessTable.filter(
    ({ door, who, methods, path }) =>
      door === "page" && who !== "anyone" && methods.includes("POST") && path !== "/logout",
  );
  expect(forms.length).toBeGreaterThan(15);
  for (const { path } of forms) {
    const address = path.replaceAll(/:\w+/g, "1");
    const answer = await post(address, new URLSearchParams({ form: "old", title: "Typed" }));
    const root = "../".repeat(address.split("/").length - 2) || "./";
    expect([path, fieldsTo(answer.text, `${root}login`).get("kept")]).toEqual([
      path,
      JSON.stringify({ to: address.slice(1), fields: [["title", "Typed"]] }),
    ]);
  }
});
