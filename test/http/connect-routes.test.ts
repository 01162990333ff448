import decodeQr from "qr/decode.js";
import { describe, expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import { browserOf, pixelsOf } from "./page-browser.ts";

describe("/connect", () => {
  it("shows a person the three fields and the steps of each program", async () => {
    const { get } = await browserOf("ana");
    const { text } = await get("/connect");
    expect(text).toContain('value="https://calendar.example.com/base/dav/" readonly');
    expect(text).toContain('value="ana@example.com" readonly');
    expect(text).toContain("A password is set");
    expect(text).toContain("people/11/dayferry.mobileconfig");
    for (const name of ["Google", "Outlook", "Apple", "Android (DAVx5)", "Thunderbird"])
      expect(text).toContain(`<h2>${name}`);
    for (const [about, value] of [
      ["Server", "https://calendar.example.com/base/dav/"],
      ["User name", "ana@example.com"],
      ["Apple: Server", "calendar.example.com"],
      ["Thunderbird: Location", "https://calendar.example.com/base/dav/"],
      ["Thunderbird: Username", "ana@example.com"],
      ["Android (DAVx5): Base URL", "https://calendar.example.com/base/dav/"],
    ]) {
      const [, id = ""] =
        new RegExp(`data-copy="([^"]+)" aria-label="Copy: ${RegExp.escape(about ?? "")}"`).exec(
          text,
        ) ?? [];
      expect(text, about).toContain(`<input id="${id}" value="${value}" readonly`);
    }
    expect(decodeQr(pixelsOf(text))).toBe(
      "https://calendar.example.com/base/people/11/dayferry.mobileconfig",
    );
    expect(text).toContain('href="davx5://calendar.example.com/base/dav/"');
    const android = text.slice(text.indexOf('id="davx5"'));
    expect(decodeQr(pixelsOf(android))).toBe("davx5://calendar.example.com/base/dav/");
  });

  it("says whether a phone is notified of changes, if push is on", async () => {
    const { get, store } = await browserOf("ana", { more: { hasPush: true } });
    const sentence = async () => />([^>]*push[^<]*)</i.exec((await get("/connect")).text)?.[1];
    expect(await sentence()).toContain("No phone gets push messages yet");
    store.pushRegistrations.put({
      ...{ name: "n", person: personId(11), calendar: "events-2001", resource: "r", sealed: "" },
      ...{ content: true, properties: true, token: "", look: "" },
      expires: Temporal.Instant.from("2100-01-01T00:00Z"),
    });
    expect(await sentence()).toBe("Push is on for 1 calendar.");
    store.pushRegistrations.sent(store.pushRegistrations.list()[0]?.id ?? 0, "");
    expect(await sentence()).toBe("Push is on for 1 calendar. Last message just now.");
    const off = await browserOf("ana");
    expect((await off.get("/connect")).text).not.toMatch(/push/i);
  });

  it("creates the password there, and shows it with the other two fields to copy", async () => {
    const { get, post } = await browserOf("ana");
    expect((await get("/connect")).text).toContain('action="me/password"');
    const { status, text } = await post("/me/password", [["confirmed", "yes"]]);
    expect(status).toBe(200);
    for (const label of ["Server", "User name", "Password"])
      expect(text).toContain(`aria-label="Copy: ${label}"`);
    expect(text).toContain('href="../connect"');
    expect((await get("/connect")).text).toContain("It was shown once");
  });

  it("shows the admin everybody's settings", async () => {
    const { get } = await browserOf("admin");
    const { text } = await get("/connect?person=12");
    expect(text).toContain('value="ben@example.com" readonly');
    expect(text).toContain("people/12/dayferry.mobileconfig");
    expect(text).toContain('action="people/12/password"');
    expect(text).toContain("These calendars are read-only");
    expect(text).not.toContain("Cleo");
  });
});
