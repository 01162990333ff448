import { describe, expect, it } from "vitest";
import { readBasic } from "../src/basic-credentials.ts";

describe("readBasic()", () => {
  const header = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
  it.each([
    ["plain", header("ana:secret"), { login: "ana", password: "secret" }],
    ["a colon in the password", header("ana:a:b"), { login: "ana", password: "a:b" }],
    ["letters beyond ASCII", header("ána:ß"), { login: "ána", password: "ß" }],
    ["another case", header("a:b").replace("Basic", "bASIC"), { login: "a", password: "b" }],
    ["nothing", undefined, null],
    ["Bearer", "Bearer abc", null],
    ["no colon", header("ana"), null],
    ["no base64", "Basic ***", null],
  ])("answers for %s", (_what, value, expected) => {
    expect(readBasic(value)).toEqual(expected);
  });
});
