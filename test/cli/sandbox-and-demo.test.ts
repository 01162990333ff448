import { describe, expect, it } from "vitest";
import { startAndStop } from "../support/running-command.ts";

describe("sandbox", () => {
  it("is served alone and prints its keys", async () => {
    const { stdout, code } = await startAndStop(["sandbox", "--port", "0", "--json"], (text) =>
      text.includes("}\n"),
    );
    expect(code).toBe(0);
    const { baseUrl, keys } = JSON.parse(stdout);
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v3$/);
    expect(keys.length).toBeGreaterThan(3);
  });
});

describe("demo", () => {
  it("prints addresses that work, and stops cleanly", async () => {
    let [page, dav] = [0, 0];
    const { stdout, code } = await startAndStop(
      ["demo", "--port", "0"],
      (text) => /^ +password +\S/m.test(text),
      async (text) => {
        const told = (name: string) => new RegExp(`^ +${name} +(\\S+)`, "m").exec(text)?.[1] ?? "";
        const login = Buffer.from(`${told("user name")}:${told("password")}`).toString("base64");
        const headers = { authorization: `Basic ${login}`, depth: "0" };
        dav = (await fetch(told("server"), { method: "PROPFIND", headers })).status;
        const url = told("start page");
        const first = await fetch(url, { redirect: "manual" });
        const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
        page = (await fetch(new URL("/", url), { headers: { cookie } })).status;
      },
    );
    expect([page, dav]).toEqual([200, 207]);
    expect(code).toBe(0);
    expect(stdout).toContain("Dayferry demo");
  });
});
