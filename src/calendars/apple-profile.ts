import { createHash } from "node:crypto";
import type { PersonId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import { say } from "../texts/say.ts";

export interface ProfileOptions {
  /** Absolute URL of the CalDAV context root, with a trailing slash. */
  readonly url: string;
  readonly person: Person;
  /** The person's user name. */
  readonly login: string;
  /** The account's name in the settings. */
  readonly description: string;
  /** From `profileUuid`: the same one replaces an earlier installed profile. */
  readonly uuid: string;
}

export const profileType = "application/x-apple-aspen-config";

/**
 * A configuration profile that sets up the CalDAV account on iPhone, iPad and Mac. It has no password: the person is asked for
 * the app password on installation. Throws a TypeError for an invalid `url`. Source:
 * https://developer.apple.com/documentation/devicemanagement/caldav
 */
export function appleProfile({ url, person, login, description, uuid }: ProfileOptions): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  const isSecure = protocol === "https:";
  const principal = new URL(`${pathname}principals/${person.id}/`, url).href;
  const account = [
    text("CalDAVAccountDescription", description),
    text("CalDAVHostName", hostname),
    whole("CalDAVPort", port === "" ? (isSecure ? 443 : 80) : Number(port)),
    text("CalDAVPrincipalURL", principal),
    truth("CalDAVUseSSL", isSecure),
    text("CalDAVUsername", login),
    text("PayloadDescription", say("profile.name", { name: person.name })),
    text("PayloadDisplayName", description),
    text("PayloadIdentifier", `dayferry.${uuid}.caldav`),
    text("PayloadType", "com.apple.caldav.account"),
    text("PayloadUUID", derivedUuid(`account ${uuid}`)),
    whole("PayloadVersion", 1),
  ];
  const profile = [
    `<key>PayloadContent</key><array><dict>\n${account.join("\n")}\n</dict></array>`,
    text("PayloadDescription", say("profile.text")),
    text("PayloadDisplayName", description),
    text("PayloadIdentifier", `dayferry.${uuid}`),
    truth("PayloadRemovalDisallowed", false),
    text("PayloadType", "Configuration"),
    text("PayloadUUID", uuid),
    whole("PayloadVersion", 1),
  ];
  return `${head}<plist version="1.0"><dict>\n${profile.join("\n")}\n</dict></plist>\n`;
}

/** The permanent UUID of a person's profile. */
export const profileUuid = (installation: string, person: PersonId): string =>
  derivedUuid(`profile ${installation} ${person}`);

const head = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
`;

/** A UUID of version 8, made from a hash. Source: RFC 9562 5.8. */
function derivedUuid(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  const variant = "89ab".charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-").toUpperCase();
}

const text = (key: string, value: string): string =>
  `<key>${key}</key><string>${escaped(value)}</string>`;
const whole = (key: string, value: number): string =>
  `<key>${key}</key><integer>${value}</integer>`;
const truth = (key: string, value: boolean): string => `<key>${key}</key><${value}/>`;

/** Control characters are removed, as XML cannot contain them. */
function escaped(value: string): string {
  return value
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u{FFFE}\u{FFFF}]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
