import { describe, expect, it } from "vitest";
import { appleProfile, profileUuid } from "../../src/calendars/apple-profile.ts";
import { personId } from "../../src/domain/ids.ts";
import { aPerson } from "../support/items.ts";

const ana = aPerson(11, "Ana");

function profile(fields: Partial<Parameters<typeof appleProfile>[0]> = {}): string {
  return appleProfile({
    url: "https://calendar.example.com/dav/",
    person: ana,
    login: "ana@example.com",
    description: "Dayferry",
    uuid: profileUuid("installation-1", ana.id),
    ...fields,
  });
}

const value = (text: string, key: string): string | undefined =>
  new RegExp(`<key>${key}</key>(?:<(?:string|integer)>([^<]*)<|<(true|false)/>)`)
    .exec(text)
    ?.slice(1)
    .find((found) => found !== undefined);

describe("the Apple profile", () => {
  it("sets up one CalDAV account without a password", () => {
    const text = profile();
    expect(value(text, "CalDAVHostName")).toBe("calendar.example.com");
    expect(value(text, "CalDAVPort")).toBe("443");
    expect(value(text, "CalDAVUseSSL")).toBe("true");
    expect(value(text, "CalDAVUsername")).toBe("ana@example.com");
    expect(value(text, "CalDAVPrincipalURL")).toBe(
      "https://calendar.example.com/dav/principals/11/",
    );
    expect(text).toContain("<string>com.apple.caldav.account</string>");
    expect(text).not.toContain("CalDAVPassword");
  });

  it.each([
    ["http://192.168.1.5:8380/dav/", "8380", "false", "192.168.1.5"],
    ["http://nas.example/team/dav/", "80", "false", "nas.example"],
    ["https://calendar.example.com:8443/dav/", "8443", "true", "calendar.example.com"],
  ])("takes port, host and encryption from %s", (url, port, secure, host) => {
    const text = profile({ url });
    expect(value(text, "CalDAVPort")).toBe(port);
    expect(value(text, "CalDAVUseSSL")).toBe(secure);
    expect(value(text, "CalDAVHostName")).toBe(host);
    expect(value(text, "CalDAVPrincipalURL")).toBe(`${url}principals/11/`);
  });

  it("keeps markup and control characters out of names", () => {
    const text = profile({ person: { ...ana, name: "<b>&\u0000 Ana" }, description: "A & B" });
    expect(text).toContain("Calendars and reminders of &lt;b&gt;&amp; Ana");
    expect(value(text, "PayloadDisplayName")).toBe("A &amp; B");
    expect(text).not.toContain("\u0000");
  });

  it("has identifiers that never change, and differ for each person", () => {
    expect(profile()).toBe(profile());
    const uuid = profileUuid("installation-1", ana.id);
    expect(uuid).toMatch(/^[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/);
    expect(profileUuid("installation-2", ana.id)).not.toBe(uuid);
    expect(profileUuid("installation-1", personId(12))).not.toBe(uuid);
    const uuids = profile().match(/<key>PayloadUUID<\/key><string>[^<]+/g) ?? [];
    expect(new Set(uuids).size).toBe(2);
  });
});
