import type { SendMailOptions } from "nodemailer";
import { fingerprint } from "../domain/fingerprint.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { stored } from "../texts/stored.ts";
import { type Mail, type Mailbox, UnusableMailError } from "./mail.ts";

/**
 * The mail for nodemailer. The same mail always gives the same octets. Fails with a sentence for an invalid address; throws
 * UnusableMailError for an invalid Message-ID or header name. Source: RFC 3834 section 5 (Auto-Submitted), RFC 6047 section 2.4
 * (calendar part).
 */
export function toMessage(mail: Mail): Result<SendMailOptions, string> {
  const stranger = [mail.from.address, mail.to.address].find((text) => !isAddress(text));
  if (stranger !== undefined)
    return fail(stored("problem.mail.address", { address: JSON.stringify(stranger) }));
  const messageId = bareMessageId(mail.messageId);
  return ok({
    envelope: { from: mail.from.address, to: [mail.to.address] },
    from: toMailbox(mail.from),
    to: [toMailbox(mail.to)],
    subject: encodeSubject(oneLine(mail.subject)),
    text: wellFormed(mail.text),
    ...(mail.html === null ? {} : { html: wellFormed(mail.html) }),
    ...(mail.calendar === null ? {} : { icalEvent: { ...mail.calendar, filename: "event.ics" } }),
    messageId: `<${messageId}>`,
    date: new Date(mail.date.epochMilliseconds),
    headers: { ...checkedHeaders(mail.headers), "Auto-Submitted": "auto-generated" },
    xMailer: false,
    baseBoundary: fingerprint(messageId),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Message-ID without its angle brackets. Throws UnusableMailError if invalid. */
export function bareMessageId(text: string): string {
  const bare = text.replace(/^<(.*)>$/, "$1");
  if (/^[\x21-\x7e]+$/.test(bare) && /^[^<>@\s]+@[^<>@\s]+$/.test(bare)) return bare;
  throw new UnusableMailError(`not a Message-ID: ${JSON.stringify(text)}`);
}

/** Headers that follow from the mail itself. */
const ownHeaders =
  /^(?:from|to|cc|bcc|sender|reply-to|subject|date|message-id|mime-version|auto-submitted|content-.*)$/i;

function checkedHeaders(headers: Mail["headers"]): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]): [string, string] => {
    if (!/^[A-Za-z0-9-]+$/.test(name) || ownHeaders.test(name)) {
      throw new UnusableMailError(`not a header that a mail may add: ${JSON.stringify(name)}`);
    }
    return [name, oneLine(value)];
  });
  return Object.fromEntries(entries);
}

/** Longest display name: without a space to fold at, a line of a mail must not exceed 998 octets. */
const longestName = 120;

function toMailbox({ name, address }: Mailbox): {
  readonly name: string;
  readonly address: string;
} {
  // Programs decode encoded words even within quotes, where they should not.
  const letters = Array.from(oneLine(name).replaceAll("=?", "= ?"));
  const cut = letters.length > longestName ? [...letters.slice(0, longestName - 1), "…"] : letters;
  return { name: cut.join(""), address };
}

/** Octets of UTF-8 that fit into one encoded word of 75 characters. */
const wordLength = 45;

/**
 * A subject that arrives unchanged: plain if that is safe, else in encoded words. Titles that look like an encoded word, or
 * have no space, would be changed or make a line too long. Source: RFC 2047 section 2.
 */
function encodeSubject(subject: string): string {
  if (/^[\x20-\x7e]*$/.test(subject) && !subject.includes("=?") && !/\S{70}/.test(subject)) {
    return subject;
  }
  const words: string[] = [];
  let word = "";
  for (const letter of subject) {
    if (Buffer.byteLength(word + letter) > wordLength) {
      words.push(word);
      word = "";
    }
    word += letter;
  }
  const encoded = [...words, word].map((text) => Buffer.from(text).toString("base64"));
  return encoded.map((text) => `=?UTF-8?B?${text}?=`).join(" ");
}

const isAddress = (text: string): boolean =>
  /^[^\s\p{C}@<>(),;:"\\[\]]+@[^\s\p{C}@<>(),;:"\\[\]]+$/u.test(text);

/** A line break in a title must not start a new header. */
const oneLine = (text: string): string =>
  wellFormed(text)
    .replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, " ")
    .trim();

/** Half a surrogate pair has no UTF-8 form. */
const wellFormed = (text: string): string => text.toWellFormed();
