import type { MailChoice } from "../domain/mail-kind.ts";

export interface Mailbox {
  /** May be empty. */
  readonly name: string;
  readonly address: string;
}

/** One mail to one person. */
export interface Mail {
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly subject: string;
  readonly text: string;
  /** Null = plain text alone. */
  readonly html: string | null;
  /** A calendar to be shown beside the text and to be saved from it; null = none. */
  readonly calendar: { readonly content: string; readonly method: "PUBLISH" } | null;
  /** Given, not made here: the same reminder sent again carries the same one, so that mailboxes show it once. */
  readonly messageId: string;
  readonly date: Temporal.Instant;
  /** Which choice of a reader ends mails like it; absent where none does. */
  readonly about?: MailChoice;
  /** Further headers, such as List-Unsubscribe. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * How a delivery ended. `rejected`: this mail will never be taken for this recipient. `deferred`: it may be taken
 * later; whether it has arrived may be unknown, so the next attempt must carry the same Message-ID. `code` is the SMTP
 * reply code, null when no server said so.
 */
export type Delivery =
  | { readonly kind: "sent"; readonly response: string }
  | { readonly kind: "rejected"; readonly code: number | null; readonly message: string }
  | { readonly kind: "deferred"; readonly code: number | null; readonly message: string };

export interface Mailer {
  /** Never rejects for what a server, a network or a disk does. Throws UnusableMailError. */
  send(mail: Mail): Promise<Delivery>;
  /** Null = ready to send, else a sentence that says what is wrong. */
  verify(): Promise<string | null>;
  /** Ends idle connections; a delivery under way is finished first. */
  close(): void;
}

/** Thrown for a mail that the program itself has made wrongly: a Message-ID or header that can be none. */
export class UnusableMailError extends Error {
  override readonly name = "UnusableMailError";
}
