import { expect, it } from "vitest";
import { browserOf } from "./page-browser.ts";
import { ana, startApp } from "./people-rig.ts";

const languageOf = (page: string): string | undefined => /<html lang="([\w-]+)"/.exec(page)?.[1];

it.each([
  ["English without a preference", {}, "en"],
  ["English for any language", { "accept-language": "*" }, "en"],
  ["English for an unknown language", { "accept-language": "nl" }, "en"],
  ["the browser's first known one", { "accept-language": "nl, fr;q=0.8, de;q=0.9" }, "de"],
  ["a known one of any region", { "accept-language": "es-MX" }, "es"],
  ["that of the US", { "accept-language": "en-US,en;q=0.9" }, "en-US"],
  ["English elsewhere", { "accept-language": "en-AU,en;q=0.9" }, "en"],
  ["that of the US if chosen", { cookie: "dayferry-language=en-US" }, "en-US"],
  [
    "the one chosen in this browser",
    { "accept-language": "de", cookie: "dayferry-language=fr" },
    "fr",
  ],
  [
    "the browser's if an unknown one was chosen",
    { "accept-language": "de", cookie: "dayferry-language=xx" },
    "de",
  ],
])("the language of a page is %s", async (_, headers, language) => {
  const { call } = await startApp();
  expect(languageOf((await call("GET /login", { headers })).text)).toBe(language);
});

it("a person's choice applies to every browser, and to mails", async () => {
  const { get, post, store } = await browserOf("ana");
  // The browser they logged in with.
  expect(store.personLanguages.of(ana)).toBe("en");
  expect(store.personLanguages.chosen(ana)).toBeNull();
  expect(await post("/language", [["language", "de"]])).toMatchObject({ status: 303 });
  const { text } = await get("/feeds");
  expect(languageOf(text)).toBe("de");
  expect(text).toContain("Zeiten in der Zeitzone");
  store.personLanguages.note(ana, "fr");
  expect(store.personLanguages.of(ana)).toBe("de");
});

it("the admin's choice applies to the browser", async () => {
  const { post } = await browserOf("admin");
  const { headers } = await post("/language", [["language", "es"]]);
  expect(headers.get("set-cookie")).toMatch(/^dayferry-language=es; Max-Age=31536000; Path=\/;/);
  expect((await post("/language", [["language", "xx"]])).headers.get("set-cookie")).toBeNull();
});

it.each([
  ["the page that it was chosen on", "/calendar?on=2026-12-01", "/calendar?on=2026-12-01"],
  ["this server, whatever the path", "//example.com/feeds", "/example.com/feeds"],
])("choosing a language leads back to %s", async (_, from, to) => {
  const { post, port } = await browserOf("admin");
  const referer = `http://127.0.0.1:${port}${from}`;
  const { headers } = await post("/language", [["language", "es"]], { referer });
  expect(headers.get("location")).toBe(to);
});
