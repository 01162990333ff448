import { isId, type PersonId, personId } from "./ids.ts";
import { type MailChoice, mailChoices } from "./mail-kind.ts";
import { type ClaimSigner, createClaimSigner } from "./signed-claim.ts";

/** What the link at the end of a mail says: whose mail it is, and of which kind ("all" for a mail of several). */
export interface ChoiceClaim {
  readonly person: PersonId;
  readonly choice: MailChoice;
}

/** Writes and reads the signed part of such a link, 32 characters. */
export type ChoiceSigner = ClaimSigner<ChoiceClaim>;

const layout = 1;
const claimLength = 8;

/**
 * `key`: at least 32 bytes, kept outside the database. Throws `WeakKeyError`. A link has no last day: whoever finds an old
 * mail must be able to end the new ones. Source: RFC 8058 section 3.1.
 */
export const createChoiceSigner = (key: Uint8Array): ChoiceSigner =>
  createClaimSigner(key, { purpose: "mail choice", claimLength, encode, decode });

function encode({ person, choice }: ChoiceClaim): Buffer {
  const bytes = Buffer.alloc(claimLength);
  bytes.writeUInt8(layout, 0);
  bytes.writeUInt8(mailChoices.indexOf(choice), 1);
  bytes.writeUIntBE(person, 2, 6);
  return bytes;
}

function decode(bytes: Buffer): ChoiceClaim | null {
  const choice = mailChoices[bytes.readUInt8(1)];
  const person = bytes.readUIntBE(2, 6);
  if (bytes.readUInt8(0) !== layout || !choice || !isId(person)) return null;
  return { person: personId(person), choice };
}
