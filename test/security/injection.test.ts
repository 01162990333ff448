import { writeEvent } from "@dayferry/ical";
import { createTransport } from "nodemailer";
import PostalMime from "postal-mime";
import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";
import { card } from "../../packages/ical/test/cards.ts";
import { appleProfile } from "../../src/calendars/apple-profile.ts";
import { textTable } from "../../src/cli/terminal-text.ts";
import { shownText } from "../../src/domain/text.ts";
import { metricText } from "../../src/http/metric-text.ts";
import { html } from "../../src/http/pages/markup-template.ts";
import { createLog } from "../../src/log.ts";
import { toMessage } from "../../src/mail/message.ts";
import { anyAddress } from "../../src/remote/address-guard.ts";
import { postMessage } from "../../src/remote/webhook.ts";
import { csvLine } from "../../src/reports/formats/data-formats.ts";
import { htmlTable } from "../../src/reports/formats/html-format.ts";
import { markdownTable } from "../../src/reports/formats/text-formats.ts";
import { sample } from "../mail/support.ts";
import { aPerson } from "../support/items.ts";
import { aReceiver } from "../support/receiver.ts";

/** What somebody writes into a title, a name or a comment so that it is read as something else. */
const attacks: Readonly<Record<string, string>> = {
  "a formula": "=cmd|' /C calc'!A0",
  "a formula behind white space": "\t \r\n@SUM(1+1)*cmd|' /C calc'!A0",
  "a formula in wide letters": '＝HYPERLINK("http://evil.example")',
  "a formula behind a semicolon": "a;=1+1;-2",
  "a header": "a\r\nBcc: evil@example.com\r\n\r\nEvil body",
  "a header with a bare line feed": "a\nX-Evil: 1",
  "a property": "a\r\nATTENDEE:mailto:evil@example.com\r\nEND:VEVENT",
  "an escaped property": "a\\nATTENDEE:mailto:evil@example.com\\;\\,",
  "the end of a script": "</script><script>alert(1)</script>",
  "an attribute": "\" onmouseover='alert(1)' x=\"",
  "an image": "<img src=x onerror=alert(1)>",
  "an element of XML": "</string><key>Evil</key><string>",
  "CDATA and an entity": "]]><!ENTITY a 'b'>&a;&#0;",
  "a link of Markdown": "[a](javascript:alert(1)) | ` ![x](http://evil.example)",
  "a colour": "\u001b[31mred\u001b[0m",
  "a title of the terminal": "\u001b]0;evil\u0007",
  "a link of the terminal": "\u001b]8;;http://evil.example\u001b\\a\u001b]8;;\u001b\\",
  "a sequence of eight bits": "\u009b2J\u009d0;evil\u009c",
  "its own line overwritten": "FAIL\rfine",
  "letters turned round": "invoice\u202efdp.exe\u2066x\u2069",
  "a line of Unicode": "a\u2028b\u2029c\u0085d",
  NUL: "a\0b",
  "half a letter": "a\ud800b\udc00c",
  "a label of metrics": 'a"} 1\ndayferry_evil{x="\\',
  "a line of a log": '"}\n{"level":"fatal","event":"evil"}',
};
const cases = Object.entries(attacks);

/** Controls a terminal, or makes a line look like another one. */
const steering = /(?![\t\n])\p{Cc}|[\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u;
const at = Temporal.Instant.from("2026-11-24T08:00:00Z");

describe.each(cases)("a text with %s", (_name, text) => {
  it("is one subject, one name and one body of a mail", async () => {
    const message = toMessage({
      ...sample,
      to: { ...sample.to, name: text },
      subject: text,
      text,
      headers: { "X-Comment": text },
    });
    if (!message.ok) throw new Error(message.failure);
    const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
    const { message: octets } = await transport.sendMail(message.value);
    if (!Buffer.isBuffer(octets)) throw new Error("a buffer was asked for");
    const raw = octets.toString();
    const head = raw.split("\r\n\r\n")[0] ?? "";
    expect(head).not.toMatch(/^(?:bcc|x-evil|attendee)/im);
    const mail = await PostalMime.parse(raw);
    expect(mail.to).toHaveLength(1);
    expect(mail.to?.[0]).toMatchObject({ address: sample.to.address });
    expect(mail.bcc).toBeUndefined();
    expect(mail.headers.filter(({ key }) => key === "subject")).toHaveLength(1);
  });

  it("is one cell of CSV, and no formula", () => {
    const line = csvLine([{ type: "text" }, { type: "text" }], [text, "last"]);
    expect(cellsOf(line)).toHaveLength(2);
    const [cell = "", last] = cellsOf(line);
    expect(last).toBe("last");
    for (const part of [cell, ...cell.split(";").slice(1)]) {
      expect(part).not.toMatch(/^[\s]*[=+\-@＝＋－＠]/);
    }
  });

  it("is plain text of a page, of a report's page and of Markdown", () => {
    const tags = (markup: string) => [...markup.matchAll(/<\/?[a-z!][^>]*>/gi)].map(([tag]) => tag);
    const page = html`<p title="${text}">${text}</p>`.text;
    expect(tags(page.replace(/title="[^"]*"/, ""))).toEqual(["<p >", "</p>"]);
    const columns = [{ key: "a", title: "A", type: "text" }] as const;
    const report = htmlTable(columns, { rows: [[text]], caption: text });
    expect(report).not.toMatch(/<(?:script|img|key|string)|<!ENTITY| onmouseover='/i);
    const markdown = markdownTable(columns, [[text]]);
    expect(markdown.trimEnd().split("\n")).toHaveLength(3);
    expect(markdown).not.toMatch(/(?<!\\)(?:\]\(|!\[|<script|`)/);
  });

  it("is one string of a profile for Apple's programs", () => {
    const profile = appleProfile({
      url: "https://calendar.example.com/dav/",
      person: aPerson(11, text),
      login: text,
      description: text,
      uuid: "1C8F0B1A-0000-8000-8000-000000000000",
    });
    const keys: string[] = [];
    const parser = new SaxesParser();
    let inside = "";
    parser.on("opentag", ({ name }) => {
      inside = name;
    });
    parser.on("text", (found) => {
      if (inside === "key" && found.trim() !== "") keys.push(found);
    });
    parser.on("error", (error) => {
      throw error;
    });
    parser.write(profile).close();
    expect(keys).not.toContain("Evil");
    expect(new Set(keys)).toContain("PayloadContent");
  });

  it("controls no terminal and stays in its row", () => {
    const printed = textTable(["A", "B"], [[text, "last"]]);
    expect(printed.trimEnd().split("\n")).toHaveLength(
      textTable(["A", "B"], [["a", "last"]])
        .trimEnd()
        .split("\n").length,
    );
    expect(printed).not.toMatch(steering);
    expect(shownText(text).replaceAll("\r\n", "\n")).not.toMatch(steering);
    expect(JSON.parse(shownText(JSON.stringify({ text })))).toEqual({ text });
  });

  it("is in one line of the log, as JSON that controls no terminal", () => {
    const lines: string[] = [];
    const log = createLog({ level: "info", write: (line) => void lines.push(line) });
    log.error(text, { title: text, [`${text} field`]: text, error: new Error(text) });
    expect(lines).toHaveLength(1);
    const [line = ""] = lines;
    expect(line.indexOf("\n")).toBe(line.length - 1);
    expect(line).not.toMatch(steering);
    expect(JSON.parse(line)).toMatchObject({
      level: "error",
      title: text.toWellFormed() === text ? text : expect.any(String),
    });
  });

  it("is one title of a message to ntfy, and one of JSON", async () => {
    const receiver = await aReceiver();
    const message = {
      id: "0123@i.dayferry",
      title: text,
      text,
      priority: 3,
      tags: [],
      click: `https://a.example/${encodeURIComponent(text.toWellFormed())}`,
      data: { text },
    } as const;
    const limits = {
      allows: anyAddress,
      timeout: Temporal.Duration.from({ seconds: 20 }),
      signal: new AbortController().signal,
      clock: () => at,
    };
    for (const format of ["ntfy", "json"] as const) {
      const webhook = { url: receiver.url, format, token: null, secret: null };
      expect(await postMessage({ webhook, message }, limits)).toMatchObject({ kind: "sent" });
    }
    const [first, second] = receiver.received;
    expect(first?.headers).not.toHaveProperty("x-evil");
    expect(first?.headers).not.toHaveProperty("bcc");
    expect(second?.data).toEqual({ text });
  });

  it("is one property of a calendar", () => {
    const written = writeEvent({
      ...card({ summary: text, description: text, categories: [text] }),
    });
    const lines = written.replaceAll("\r\n ", "").split("\r\n");
    expect(lines.filter((line) => /^(?:ATTENDEE|X-EVIL|BCC)/i.test(line))).toEqual([]);
    expect(lines.filter((line) => line === "END:VEVENT")).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith("SUMMARY"))).toHaveLength(1);
    expect(written.replaceAll("\r\n", "")).not.toMatch(/[\r\n\0]/);
  });

  it("is one value of a metric's label", () => {
    const metric = { name: "dayferry_test", type: "gauge", help: text } as const;
    const samples = [{ labels: { kind: text }, value: 1 }];
    for (const form of ["prometheus", "openmetrics"] as const) {
      const lines = metricText([{ ...metric, samples }], form)
        .trimEnd()
        .split("\n");
      expect(lines.filter((line) => line.startsWith("dayferry_"))).toHaveLength(1);
      expect(lines).toHaveLength(form === "openmetrics" ? 4 : 3);
    }
  });
});

/** The cells of one record. Source: RFC 4180. */
const cellsOf = (line: string): readonly string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
  );
