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
  /** Null for plain text only. */
  readonly html: string | null;
  /** A calendar shown beside the text; null for none. */
  readonly calendar: {
    readonly content: string;
    readonly method: "PUBLISH" | "REQUEST" | "CANCEL";
  } | null;
  /** Set by the caller: a repeated reminder has the same one, so that mailboxes show it once. */
  readonly messageId: string;
  readonly date: Temporal.Instant;
  /** The choice that unsubscribes from such mails; absent if there is none. */
  readonly about?: MailChoice;
  /** Further headers, such as List-Unsubscribe. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Result of a delivery. `rejected`: permanently refused for this recipient. `deferred`: it may be accepted later. The mail may
 * have arrived all the same, so the next attempt must use the same Message-ID. `code`: SMTP reply code, null if none.
 */
export type Delivery =
  | { readonly kind: "sent"; readonly response: string }
  | { readonly kind: "rejected"; readonly code: number | null; readonly message: string }
  | { readonly kind: "deferred"; readonly code: number | null; readonly message: string };

export interface Mailer {
  /** Never rejects because of a server, a network or a disk. Throws UnusableMailError. */
  send(mail: Mail): Promise<Delivery>;
  /** Null if mails can be sent, else a sentence with the problem. */
  verify(): Promise<string | null>;
  /** Closes idle connections, after deliveries in progress. */
  close(): void;
}

/** Thrown for a mail with an invalid Message-ID or header, which is a bug. */
export class UnusableMailError extends Error {
  override readonly name = "UnusableMailError";
}
