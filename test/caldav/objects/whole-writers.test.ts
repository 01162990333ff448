import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { wholeWriters, writesWhole } from "../../../src/caldav/whole-writers.ts";

it.each([
  ["iOS/18.6 (22G86) dataaccessd/1.0", true],
  ["macOS/15.6 (24G84) CalendarAgent/1083", true],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.3.0", true],
  ["DAVx5/4.5.1-ose (dav4jvm; okhttp/5.1.0) Android/16", true],
  ["org.tasks/14.8 (okhttp3) Android/16", true],
  ["Evolution/3.56.2", true],
  ["vdirsyncer/0.19.3", true],
  ["curl/8.14.1", false],
  ["python-requests/2.32.3", false],
  ["tsdav/2.1.5", false],
  ["", false],
])("writesWhole() of %s is %s", (agent, isKnown) => {
  expect(writesWhole(agent)).toBe(isKnown);
});

it("docs/clients.md names each of them by its User-Agent, with the reason", () => {
  const text = readFileSync(new URL("../../../docs/clients.md", import.meta.url), "utf8");
  const [, table = ""] = text.split("| program | User-Agent contains | reason |\n|---|---|---|\n");
  const lines = table.split("\n\n", 1).join("").trim().split("\n");
  const rows = wholeWriters.map(
    ({ name, agents }) => `| ${name} | ${agents.map((agent) => `\`${agent}\``).join(", ")} | `,
  );
  expect(lines).toEqual(rows.map((row) => expect.stringContaining(row)));
});
