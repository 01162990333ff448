import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Sandbox } from "@dayferry/sandbox";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runSetup } from "../src/setup.ts";
import { program } from "./support/dayferry.ts";
import { eventually } from "./support/eventually.ts";
import { serviceConfig, testSandbox } from "./support/sandbox.ts";
import { testDirectory } from "./support/test-store.ts";

const html = { accept: "text/html" };
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await testSandbox();
});
afterAll(() => sandbox.close());

/** The set-up in a separate folder, with a browser on this machine that keeps its cookie. */
async function setUp() {
  const cwd = testDirectory();
  const stop = new AbortController();
  let said = "";
  const ended = runSetup({
    cwd,
    env: { DAYFERRY_PORT: "0" },
    say: (text) => {
      said += text;
    },
    signal: stop.signal,
    clock: () => Temporal.Now.instant(),
    monotonic: () => performance.now(),
    random: () => 0,
  });
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  const url = await eventually(
    "the set-up listens",
    () => /at (http:\S+)\/setup\?token=\S+\n/.exec(said)?.[1] ?? null,
  );
  const [, token = ""] = /token=(\S+)/.exec(said) ?? [];
  let form = "";
  let cookie = "";
  async function ask(
    request: string,
    values: Readonly<Record<string, string>> | null = null,
    headers: Readonly<Record<string, string>> = { cookie },
  ) {
    const [method = "", path = ""] = request.split(" ");
    const answer = await fetch(`${url}${path}`, {
      method,
      redirect: "manual",
      headers: { ...html, ...headers },
      ...(values && { body: new URLSearchParams({ form, ...values }) }),
    });
    const text = await answer.text();
    form = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? form;
    return {
      status: answer.status,
      text,
      to: answer.headers.get("location"),
      headers: answer.headers,
    };
  }
  const { baseUrl, apiKey = "", contact, timeZone } = serviceConfig(sandbox);
  const answers = { baseUrl, apiKey, contact, timeZone };
  return {
    cwd,
    ask,
    /** Like a browser that opens the printed link. */
    enter: async () => {
      const entered = await ask(`GET /setup?token=${token}`);
      cookie = entered.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
      return entered;
    },
    token,
    url,
    answers,
    ended,
    stop,
    /** Up to the page that shows the findings. */
    answered: async () => {
      const entered = await ask(`GET /setup?token=${token}`);
      cookie = entered.headers.get("set-cookie")?.split(";", 1)[0] ?? cookie;
      await ask("GET /setup");
      expect((await ask("POST /setup", answers)).to).toBe("./setup/result");
      return ask("GET /setup/result");
    },
  };
}

describe("the guided set-up", () => {
  it("says what is wrong with each answer, and keeps the others", async () => {
    const { ask, answers, enter } = await setUp();
    await enter();
    await ask("GET /setup");
    const { status, text } = await ask("POST /setup", {
      ...answers,
      baseUrl: "http://company.example.com/api/v3",
      contact: "nobody",
      timeZone: "Berlin",
      apiKey: "",
    });
    expect(status).toBe(400);
    for (const [field, said] of [
      ["baseUrl", "https"],
      ["contact", "must be an e-mail address"],
      ["timeZone", "Berlin"],
      ["apiKey", "Required"],
    ] as const) {
      const [, problem = ""] = new RegExp(`id="${field}-problem">([^<]*)<`).exec(text) ?? [];
      expect([field, problem]).toEqual([field, expect.stringContaining(said)]);
    }
    expect(text).toContain('value="nobody"');
  });

  it.each([
    ["a wrong key", { apiKey: "wrong" }, "apiKey"],
    ["an address where nothing answers", { baseUrl: "http://127.0.0.1:9/api/v3" }, "baseUrl"],
  ])("asks the service itself, and shows %s at its field", async (_what, wrong, field) => {
    const { ask, answers, cwd, enter } = await setUp();
    await enter();
    await ask("GET /setup");
    const { status, text } = await ask("POST /setup", { ...answers, ...wrong });
    expect(status).toBe(400);
    expect(text).toContain(`id="${field}-problem"`);
    expect(text).not.toContain(answers.apiKey);
    expect(existsSync(join(cwd, "config.json"))).toBe(false);
  });

  it("tests fields while they are typed, and complains about no empty one", async () => {
    const { ask, answers, cwd, enter } = await setUp();
    await enter();
    await ask("GET /setup");
    const check = async (values: Readonly<Record<string, string>>) =>
      JSON.parse((await ask("POST /setup/check", values)).text);
    expect(await check({ baseUrl: "company", apiKey: "" })).toEqual({
      facts: [],
      faults: [{ field: "baseUrl", problem: expect.stringContaining("https:") }],
    });
    const { faults } = await check({ ...answers, apiKey: "wrong", timeZone: "" });
    expect(faults).toEqual([{ field: "apiKey", problem: "The service rejects this key." }]);
    const { facts } = await check({ ...answers, timeZone: "" });
    expect(facts[0]).toBe("The service accepts the API key.");
    expect((await ask("GET /setup")).text).not.toContain(answers.baseUrl);
    expect(existsSync(join(cwd, "config.json"))).toBe(false);
  });

  it("shows what it found, writes nothing without consent, and never puts the key into a page", async () => {
    const { answered, answers, cwd, ask } = await setUp();
    const { text } = await answered();
    expect(text).toContain("access to 2 projects");
    expect(text).toContain("clocks of the service and of this machine agree");
    expect(text).not.toContain(answers.apiKey);
    const shown = await ask("POST /setup/finish", { way: "show", projects: "all" });
    expect(shown.headers.get("content-disposition")).toContain("config.json");
    expect(JSON.parse(shown.text)).toEqual({
      service: {
        baseUrl: answers.baseUrl,
        apiKeyFile: "./secrets/api-key",
        contact: answers.contact,
        timeZone: answers.timeZone,
      },
    });
    expect(existsSync(join(cwd, "config.json"))).toBe(false);
    expect(existsSync(join(cwd, "secrets"))).toBe(false);
  });

  it("proves the time zone by a test event on consent, and removes it", async () => {
    const { answered, ask, answers } = await setUp();
    const by = sandbox.keys[0]?.personId ?? 0;
    const events = () =>
      sandbox.workspace
        .places()
        .map(({ project }) => sandbox.workspace.events.list({ by, project }, { view: "all" }));
    await answered();
    const proof = await ask("POST /setup/zone", {});
    expect(proof.text).toContain("The service answers in Europe/Berlin");
    await ask("POST /setup", { ...answers, apiKey: "", timeZone: "Asia/Tokyo" });
    const wrong = await ask("POST /setup/zone", {});
    expect(wrong.text).toMatch(/the account is not in Asia\/Tokyo/i);
    expect(events()).toEqual([[], []]);
  });

  it("writes both files for their owner alone, and ends with the configuration of the chosen projects", async () => {
    const { answered, ask, answers, cwd, ended } = await setUp();
    await answered();
    const none = await ask("POST /setup/finish", { way: "write", projects: "some" });
    expect(none.status).toBe(400);
    const [first] = sandbox.workspace.places();
    const both = { way: "write", projects: "all", project: String(first?.project) };
    const unclear = await ask("POST /setup/finish", both);
    expect([unclear.status, existsSync(join(cwd, "config.json"))]).toEqual([400, false]);
    expect(unclear.text).toContain("Only these");
    const [place] = sandbox.workspace.places();
    const project = String(place?.project);
    const done = await ask("POST /setup/finish", { way: "write", projects: "some", project });
    expect(done.status).toBe(200);
    expect(done.text).toContain(join(cwd, "config.json"));
    const end = await ended;
    if (end.kind !== "written") throw new Error(end.kind);
    expect(end.config.service.apiKey).toBe(answers.apiKey);
    expect(end.config.projects).toMatchObject([{ id: place?.project }]);
    expect(readFileSync(join(cwd, "secrets/api-key"), "utf8")).toBe(`${answers.apiKey}\n`);
    expect(readFileSync(join(cwd, "config.json"), "utf8")).not.toContain(answers.apiKey);
    for (const file of ["config.json", "secrets/api-key"]) {
      expect(modeOf(join(cwd, file))).toBe("600");
    }
    expect(modeOf(join(cwd, "secrets"))).toBe("700");
  });

  it("keeps an existing file unless it may be replaced", async () => {
    const { answered, ask, answers, cwd, ended } = await setUp();
    const file = join(cwd, "secrets/api-key");
    mkdirSync(join(cwd, "secrets"));
    writeFileSync(file, "another key\n");
    chmodSync(file, 0o644);
    await answered();
    const asked = await ask("POST /setup/finish", { way: "write", projects: "all" });
    expect(asked.status).toBe(409);
    expect(asked.text).toContain("exists already");
    expect(readFileSync(file, "utf8")).toBe("another key\n");
    expect(existsSync(join(cwd, "config.json"))).toBe(false);
    const [place] = sandbox.workspace.places();
    const project = String(place?.project);
    const kept = await ask("POST /setup/finish", { way: "write", projects: "some", project });
    expect(kept.text).toMatch(/value="some" checked/);
    expect(kept.text).toMatch(new RegExp(`value="${project}" checked`));
    await ask("POST /setup/finish", { way: "write", projects: "all", replace: "on" });
    expect((await ended).kind).toBe("written");
    expect([readFileSync(file, "utf8"), modeOf(file)]).toEqual([`${answers.apiKey}\n`, "600"]);
  });

  it("opens once with the printed token, and to nobody without it", async () => {
    const { ask, token, enter } = await setUp();
    const ways = [{}, { "x-forwarded-for": "203.0.113.7" }, { forwarded: "for=203.0.113.7" }];
    for (const headers of ways) {
      for (const path of ["/setup", "/setup?token=wrong", "/setup/result", "/"])
        expect((await ask(`GET ${path}`, null, headers)).status).toBe(403);
      expect((await ask("POST /setup", {}, headers)).status).toBe(403);
    }
    const entered = await enter();
    expect([entered.status, entered.to]).toEqual([303, "./setup"]);
    expect(entered.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Strict/);
    expect(entered.headers.get("set-cookie")).not.toContain(token);
    expect((await ask("GET /setup")).status).toBe(200);
    expect((await ask(`GET /setup?token=${token}`)).to).toBe("./setup");
    const other = await ask(`GET /setup?token=${token}`, null, {});
    expect([other.status, other.headers.get("set-cookie")]).toEqual([403, null]);
    expect(other.text).toContain("used already");
    expect((await ask("POST /setup", { form: "forged" })).status).toBe(403);
    expect((await ask("GET /readyz")).status).toBe(503);
  });

  it("sends a remembered key to no other server", async () => {
    const { ask, answered, answers } = await setUp();
    await answered();
    const heard: string[] = [];
    const other = createServer((request, response) => {
      heard.push(JSON.stringify(request.headers));
      response.end("[]");
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const elsewhere = { ...answers, apiKey: "", baseUrl: `http://127.0.0.1:${port}/api/v3` };
    const asked = await ask("POST /setup", elsewhere);
    expect(asked.status).toBe(400);
    expect(asked.text).toMatch(/id="apiKey-problem">Required/);
    expect(heard).toEqual([]);
    expect((await ask("POST /setup", { ...answers, apiKey: "" })).to).toBe("./setup/result");
  });

  it.each([
    ["GET /assets/%ff", {}],
    ["POST /setup", { "content-type": "application/x-www-form-urlencoded; charset=odd" }],
  ])("answers %s with a status and no internals", async (request, headers) => {
    const { url, enter } = await setUp();
    const entered = await enter();
    const cookie = entered.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    const [method = "", path = ""] = request.split(" ");
    const body = method === "POST" ? { body: "a=b" } : {};
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { cookie, ...headers },
      ...body,
    });
    expect(Math.floor(answer.status / 100)).toBe(4);
    expect(await answer.text()).not.toMatch(/node_modules|\.ts:|\.mjs|at /);
  });
});

it("serve without a configuration sets up, and continues as the daemon in the same process", async () => {
  const cwd = testDirectory();
  const child = spawn(process.execPath, [program, "serve"], {
    cwd,
    env: { PATH: process.env["PATH"], DAYFERRY_PORT: "0" },
  });
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const url = await eventually(
    "the set-up listens",
    () => /at (http:\S+)\/setup\?token=\S+\n/.exec(said)?.[1] ?? null,
  );
  const [, token = ""] = /token=(\S+)/.exec(said) ?? [];
  const entered = await fetch(`${url}/setup?token=${token}`, { redirect: "manual" });
  const cookie = entered.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const post = async (path: string, values: Readonly<Record<string, string>>) => {
    const page = await (await fetch(`${url}/setup`, { headers: { ...html, cookie } })).text();
    const form = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const body = new URLSearchParams({ form, ...values });
    return fetch(`${url}${path}`, {
      method: "POST",
      redirect: "manual",
      headers: { ...html, cookie },
      body,
    });
  };
  const { baseUrl, apiKey = "", contact, timeZone } = serviceConfig(sandbox);
  expect((await post("/setup", { baseUrl, apiKey, contact, timeZone })).status).toBe(303);
  const done = await post("/setup/finish", { way: "write", projects: "all" });
  expect(done.status).toBe(200);
  const daemon = await eventually(
    "the daemon listens",
    () => /"url":"(http:[^"]+)"/.exec(said)?.[1] ?? null,
  );
  expect((await fetch(`${daemon}/healthz`)).status).toBe(200);
  expect((await fetch(`${daemon}/setup`, { headers: html })).status).toBe(404);
  expect(existsSync(join(cwd, "data/admin-token"))).toBe(true);
  expect(said).not.toContain(apiKey);
  child.kill("SIGTERM");
  expect(await closed).toBe(0);
});
