import { describe, expect, test } from "vitest";
import { describeProblems } from "../../src/config/problems.ts";
import { configRig, least, paths, withService } from "./support.ts";

const { good, bad, write } = configRig();

describe("problems of the configuration", () => {
  const person = (part: object) => ({ ...least, people: [{ id: 11, ...part }] });
  const subscription = (part: object) => ({
    ...least,
    edits: {
      subscriptions: [{ name: "Ana", url: "https://c.example/a.ics", project: 1, ...part }],
    },
  });

  test.each<[string, unknown, string]>([
    ["not an object", [], "configuration"],
    ["unknown key", { ...least, extra: 1 }, "extra"],
    ["unknown key in a section", withService({ baseurl: "x" }), "service.baseurl"],
    ["unknown key in a list", person({ mial: "x" }), "people[0].mial"],
    [
      "http to another host",
      withService({ baseUrl: "http://a.example/api/v3" }),
      "service.baseUrl",
    ],
    [
      "http to a host like loopback",
      withService({ baseUrl: "http://127.0.0.1.evil.example" }),
      "service.baseUrl",
    ],
    ["a login in baseUrl", withService({ baseUrl: "https://u:p@a.example" }), "service.baseUrl"],
    ["a query in baseUrl", withService({ baseUrl: "https://a.example/?a=1" }), "service.baseUrl"],
    ["ftp", withService({ uploadUrl: "ftp://a.example" }), "service.uploadUrl"],
    ["a zone that is an offset", withService({ timeZone: "+01:00" }), "service.timeZone"],
    [
      "a zone of Rails",
      withService({ timeZone: "Eastern Time (US & Canada)" }),
      "service.timeZone",
    ],
    ["no contact address", withService({ contact: "you" }), "service.contact"],
    ["an empty key", withService({ apiKey: "" }), "service.apiKey"],
    ["a key with a line break", withService({ apiKey: "a\r\nb" }), "service.apiKey"],
    ["key given twice", withService({ apiKeyFile: "f" }), "service.apiKey"],
    ["no key", withService({ apiKey: undefined }), "service.apiKey"],
    ["a host for metrics without a port", { ...least, metrics: { host: "::1" } }, "metrics.host"],
    ["the daemon's port for metrics", { ...least, metrics: { port: 8380 } }, "metrics.port"],
    [
      "the daemon's port for metrics of all addresses",
      { ...least, http: { host: "0.0.0.0", port: 9000 }, metrics: { port: 9000 } },
      "metrics.port",
    ],
    ["a port for metrics as a text", { ...least, metrics: { port: "9380" } }, "metrics.port"],
    ["metrics that are off in another way", { ...least, metrics: false }, "metrics"],
    ["quota of 0", withService({ quota: { requests: 0 } }), "service.quota.requests"],
    ["quota of 2.5", withService({ quota: { requests: 2.5 } }), "service.quota.requests"],
    ["quota per month", withService({ quota: { per: "P1M" } }), "service.quota.per"],
    ["timeout of zero", withService({ timeout: "PT0S" }), "service.timeout"],
    ["negative length", { ...least, feeds: { past: "-P1D" } }, "feeds.past"],
    ["length as a number", { ...least, feeds: { past: 90 } }, "feeds.past"],
    ["unknown placeholder", withService({ webUrl: "https://a.example/{task}" }), "service.webUrl"],
    ["projects as a word", { ...least, projects: "all" }, "projects"],
    ["project id 0", { ...least, projects: [{ id: 0 }] }, "projects[0].id"],
    ["project id as text", { ...least, projects: [{ id: "1" }] }, "projects[0].id"],
    ["project twice", { ...least, projects: [{ id: 1 }, { id: 1 }] }, "projects[1].id"],
    [
      "list id -1",
      { ...least, projects: [{ id: 1, todolists: [-1] }] },
      "projects[0].todolists[0]",
    ],
    [
      "folders as a word",
      { ...least, projects: [{ id: 1, folders: "no" }] },
      "projects[0].folders",
    ],
    ["person twice", { ...least, people: [{ id: 1 }, { id: 1 }] }, "people[1].id"],
    [
      "one address twice",
      {
        ...least,
        people: [
          { id: 1, email: "a@b.c" },
          { id: 2, email: "A@b.c" },
        ],
      },
      "people[1].email",
    ],
    ["person's address", person({ email: "ana at example" }), "people[0].email"],
    ["person's zone", person({ timeZone: "Lisbon" }), "people[0].timeZone"],
    ["person's calendars", person({ calendars: "none" }), "people[0].calendars"],
    ["milestones", { ...least, calendars: { milestones: "yes" } }, "calendars.milestones"],
    ["unknown key of calendars", { ...least, calendars: { colour: 1 } }, "calendars.colour"],
    ["person's key twice", person({ apiKey: "k", apiKeyFile: "f" }), "people[0].apiKey"],
    ["port", { ...least, http: { port: 65536 } }, "http.port"],
    ["host", { ...least, http: { host: "" } }, "http.host"],
    [
      "a header that clients send",
      { ...least, http: { identityHeader: { name: "Cookie", from: ["127.0.0.1"] } } },
      "http.identityHeader.name",
    ],
    [
      "no name of a header",
      { ...least, http: { identityHeader: { name: "X Email", from: ["127.0.0.1"] } } },
      "http.identityHeader.name",
    ],
    [
      "a header from nowhere",
      { ...least, http: { identityHeader: { name: "Remote-Email", from: [] } } },
      "http.identityHeader.from",
    ],
    [
      "an invalid network",
      { ...least, http: { identityHeader: { name: "Remote-Email", from: ["10.0.0.0/33"] } } },
      "http.identityHeader.from[0]",
    ],
    [
      "a log-out elsewhere without https",
      {
        ...least,
        http: {
          identityHeader: { name: "Remote-Email", from: ["::1"], logout: "//evil.example" },
        },
      },
      "http.identityHeader.logout",
    ],
    ["publicUrl", { ...least, http: { publicUrl: "dayferry.example.com" } }, "http.publicUrl"],
    ["trustProxy", { ...least, http: { trustProxy: "yes" } }, "http.trustProxy"],
    ["private", { ...least, feeds: { private: "hide" } }, "feeds.private"],
    ["conflicts", { ...least, edits: { conflicts: "mine" } }, "edits.conflicts"],
    [
      "subscription without an address",
      subscription({ url: undefined }),
      "edits.subscriptions[0].urlFile",
    ],
    [
      "subscription by file:",
      subscription({ url: "file:///etc/passwd" }),
      "edits.subscriptions[0].url",
    ],
    [
      "subscription with a word for yes",
      subscription({ allowPrivate: "yes" }),
      "edits.subscriptions[0].allowPrivate",
    ],
    [
      "subscription for a stranger project",
      { ...subscription({}), projects: [{ id: 2 }] },
      "edits.subscriptions[0].project",
    ],
    ["from", { ...least, mail: { from: "Dayferry" } }, "mail.from"],
    ["from with a line break", { ...least, mail: { from: "A\nBcc: x <a@b.c>" } }, "mail.from"],
    ["smtpUrl", { ...least, mail: { smtpUrl: "https://mail.example" } }, "mail.smtpUrl"],
    ["smtpUrl without a host", { ...least, mail: { smtpUrl: "smtp://" } }, "mail.smtpUrl"],
    [
      "misspelt option",
      { ...least, mail: { smtpUrl: "smtp://m.example?requireTls=true" } },
      "mail.smtpUrl",
    ],
    [
      "password without a user",
      { ...least, mail: { smtpUrl: "smtp://m.example", smtpPassword: "p" } },
      "mail.smtpUrl",
    ],
    ["time of day", { ...least, reminders: { at: "24:00" } }, "reminders.at"],
    ["digest", { ...least, reminders: { digest: "9:00" } }, "reminders.digest"],
    [
      "digest's time",
      { ...least, reminders: { digest: { at: "9:00", weekday: "monday" } } },
      "reminders.digest.at",
    ],
    [
      "digest's day",
      { ...least, reminders: { digest: { at: "09:00", weekday: "Moon" } } },
      "reminders.digest.weekday",
    ],
    [
      "digest's stranger",
      { ...least, reminders: { digest: { at: "09:00", weekday: "monday", on: 1 } } },
      "reminders.digest.on",
    ],
    ["mails a minute", { ...least, mail: { perMinute: 0 } }, "mail.perMinute"],
    ["person's mail", person({ mail: { task: false } }), "people[0].mail.task"],
    ["lead", { ...least, reminders: { tasks: ["1 day"] } }, "reminders.tasks[0]"],
    ["level", { ...least, log: { level: "loud" } }, "log.level"],
  ])("are described with their path: %s", (_name, raw, path) => {
    expect(paths(bad(raw))).toContain(path);
  });

  test.each([
    "http://127.0.0.1:8390/api/v3",
    "http://127.9.9.9",
    "http://[::1]:1",
    "http://localhost:8390",
  ])("depend on the host if baseUrl is %s", (baseUrl) => {
    expect(good(withService({ baseUrl })).service.baseUrl).toBe(baseUrl);
  });

  test("are all listed", () => {
    const raw = {
      service: { baseUrl: "http://a.example", apiKeyFile: "./missing", timeZone: 7, colour: "red" },
      people: [{ id: 1 }, { id: 1, email: "no" }],
      mail: { smtpPassword: "p", smtpUrl: "smtp://m.example" },
      extra: {},
    };
    expect(
      paths(bad(raw, { DAYFERRY_PORT: "eighty", DAYFERRY_LOG_LEVEL: "loud" })).toSorted(),
    ).toEqual(
      [
        "service.baseUrl",
        "service.apiKeyFile",
        "service.timeZone",
        "service.contact",
        "service.colour",
        "people[1].email",
        "people[1].id",
        "mail.smtpUrl",
        "extra",
        "DAYFERRY_PORT",
        "DAYFERRY_LOG_LEVEL",
      ].toSorted(),
    );
  });

  test("name everything required if nothing is given", () => {
    expect(paths(bad({ service: null }))).toEqual(["service"]);
    expect(paths(bad({}))).toEqual([
      "service.baseUrl",
      "service.contact",
      "service.timeZone",
      "service.apiKey",
    ]);
  });

  test("never contain a secret", () => {
    const hush = "hush-hush-value";
    write("bad-key", `${hush} with spaces`);
    const raw = {
      service: {
        baseUrl: `https://user:${hush}@a.example`,
        uploadUrl: `ftp://a.example/?${hush}`,
        apiKey: `${hush}\n${hush}`,
        contact: "a@b.c",
        timeZone: "UTC",
        webUrl: `${hush}`,
      },
      people: [{ id: 1, apiKeyFile: "bad-key" }],
      mail: { smtpUrl: `https://u:${hush}@m.example`, smtpPassword: `${hush}\u0000` },
      edits: { subscriptions: [{ name: "x", url: `file:${hush}`, project: 1 }] },
    };
    const problems = bad(raw, { DAYFERRY_ADMIN_TOKEN: `${hush} ${hush}` });
    expect(problems.length).toBe(9);
    expect(describeProblems(problems)).not.toContain(hush);
    expect(describeProblems(problems).split("\n")).toHaveLength(9);
  });

  const say = (raw: unknown) => describeProblems(bad(raw));

  test.each<[unknown, string]>([
    [
      { ...least, timeZone: "UTC" },
      "timeZone: is not a known key; did you mean service.timeZone or people[].timeZone?",
    ],
    [{ ...least, htpt: {} }, 'htpt: is not a known key; did you mean "http"?'],
    [{ ...least, log: { colours: true } }, "log.colours: is not a known key; known here: level"],
    [
      { ...least, feeds: { Private: "show" } },
      'feeds.Private: is not a known key; did you mean "private"?',
    ],
    [{ ...least, http: { port: 70000 } }, "http.port: must be between 0 and 65535, not 70000"],
    [{ ...least, http: { port: null } }, "http.port: must be a number, not null"],
    [
      { ...least, http: { trustProxy: "yes" } },
      'http.trustProxy: must be true, false, a number of proxies from 1 to 16, or addresses and networks such as "loopback" or ["10.0.0.0/8"], not "yes"',
    ],
    [
      { ...least, http: { trustProxy: ["127.0.0.1", "lopback"] } },
      'http.trustProxy[1]: must be an address such as 127.0.0.1, a network such as 10.0.0.0/8, or "loopback", "linklocal" or "uniquelocal", not "lopback"',
    ],
    [
      { ...least, http: { trustProxy: ["0.0.0.0/0"] } },
      'http.trustProxy[0]: must not name every address there is, not "0.0.0.0/0"',
    ],
    [{ ...least, projects: "all" }, 'projects: must be "discover" or a list in [ ], not "all"'],
    [
      { ...least, reminders: { at: ["09:00"] } },
      "reminders.at: must be a text in quotes, not a list",
    ],
    [
      { ...least, edits: { mode: "Review" } },
      'edits.mode: must be one of "apply", "review", not "Review"',
    ],
    [
      { ...least, http: { publicUrl: "cal.example.com/x" } },
      'http.publicUrl: must be an address that begins with https:// or http://, not "cal.example.com"',
    ],
    [
      withService({ baseUrl: "http://a.example/api/v3" }),
      'service.baseUrl: must begin with https:// (http:// only on this machine), not "http://a.example/…"',
    ],
  ])("are sentences if the configuration is %j", (raw, line) => {
    expect(say(raw).split("\n")).toContain(line);
  });

  test.each<[string, unknown]>([
    ["a number for a key", withService({ apiKey: 1234567 })],
    ["an object around a key", withService({ apiKey: { value: "hush-hush" } })],
    ["a section that is a key", { ...least, service: "hush-hush" }],
    [
      "a login in an address",
      { ...least, http: { publicUrl: "ftp://u:hush-hush@a.example/hush-hush" } },
    ],
    ["a misspelt key", withService({ apikey: "hush-hush" })],
    ["a token with a blank", { ...least, adminToken: "hush-hush token" }],
  ])("contain no secret if the problem is %s", (_name, raw) => {
    expect(say(raw)).not.toMatch(/hush|1234567/);
    expect(bad(raw).length).toBeGreaterThan(0);
  });

  test.each([31, 1, 8])(
    "give the minimum length of an admin token, for one of %i characters",
    (length) => {
      const token = "t0ken-".repeat(8).slice(0, length);
      const raw = {
        service: { baseUrl: "https://a.example", apiKey: "k", contact: "a@b.c", timeZone: "UTC" },
      };
      const problems = bad({ ...raw, adminToken: token });
      const [problem] = problems.filter(({ path }) => path === "adminToken");
      expect(problem?.message).toMatch(/at least 32 characters .*openssl rand -hex 32/);
      expect(describeProblems(problems)).not.toContain(`"${token}"`);
      write("short-token", token);
      const [filed] = bad({ ...raw, adminTokenFile: "short-token" });
      expect(filed?.message).toContain("at least 32 characters");
    },
  );
});
