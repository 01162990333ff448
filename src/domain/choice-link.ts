import { createHmac, timingSafeEqual } from "node:crypto";
import { isId, type PersonId, personId } from "./ids.ts";
import { type MailChoice, mailChoices } from "./mail-kind.ts";

/** What the link at the end of a mail says: whose mail it is, and of which kind ("all" for a mail of several). */
export interface ChoiceClaim {
  readonly person: PersonId;
  readonly choice: MailChoice;
}

/** Writes and reads the signed part of such a link: 32 letters, digits, hyphens and underscores. */
export interface ChoiceSigner {
  sign(claim: ChoiceClaim): string;
  /** Null for any text that `sign` has not written with this key. */
  read(text: string): ChoiceClaim | null;
}

/** Thrown for a key from which signatures could be guessed. */
export class WeakChoiceKeyError extends Error {
  override readonly name = "WeakChoiceKeyError";
  constructor(bytes: number) {
    super(`the key of mail links has ${bytes} bytes; at least ${shortestKey} are needed`);
  }
}

const shortestKey = 32;
const layout = 1;
const claimLength = 8;
const tagLength = 16;
const pattern = /^[A-Za-z0-9_-]{32}$/;

/**
 * `key`: at least 32 bytes, kept outside the database. Throws `WeakChoiceKeyError`. A link has no last day: whoever finds
 * an old mail must be able to end the new ones. Source: RFC 8058 section 3.1.
 */
export function createChoiceSigner(key: Uint8Array): ChoiceSigner {
  if (key.byteLength < shortestKey) throw new WeakChoiceKeyError(key.byteLength);
  const tagOf = (claim: Uint8Array) =>
    createHmac("sha256", key).update("mail choice").update(claim).digest().subarray(0, tagLength);
  return {
    sign(claim) {
      const bytes = encode(claim);
      return Buffer.concat([bytes, tagOf(bytes)]).toString("base64url");
    },
    read(text) {
      if (!pattern.test(text)) return null;
      const bytes = Buffer.from(text, "base64url");
      const claim = bytes.subarray(0, claimLength);
      return timingSafeEqual(bytes.subarray(claimLength), tagOf(claim)) ? decode(claim) : null;
    },
  };
}

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
