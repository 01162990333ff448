import { networkFailureOf } from "../domain/network-failure.ts";
import { stored } from "../texts/stored.ts";
import type { Delivery } from "./mail.ts";

/** A failure as nodemailer reports it. Each part may be absent. */
interface SmtpFailure {
  readonly code: string | null;
  /** The system's error code; if set, `code` is nodemailer's own. */
  readonly origin: string | null;
  readonly responseCode: number | null;
  readonly command: string | null;
  readonly message: string;
}

/**
 * What a failed delivery to the mail server `host` means. Only an answer about this mail is final: a 5xx to the recipient or
 * the content, or an invalid address. A refused login, sender or connection, a 4xx, a timeout and a lost connection may all be
 * temporary. Source: RFC 5321 sections 4.2.1 and 4.2.2, RFC 4954 section 6.
 */
export function failedDelivery(error: unknown, host: string): Delivery {
  const failure = readFailure(error);
  const code = failure.responseCode;
  const message = sentence(failure, host);
  if (code === null) {
    const refusedHere = failure.code === "EENVELOPE" || failure.code === "EMESSAGE";
    return { kind: refusedHere ? "rejected" : "deferred", code, message };
  }
  return { kind: isFinal(failure, code) ? "rejected" : "deferred", code, message };
}

/** The failure in one line, for people. */
export const explainFailure = (error: unknown, host: string): string =>
  sentence(readFailure(error), host);

/** 503 is about the session, and 530 to 538 are about the login, not about the mail. */
const aboutTheSession = [503, 530, 534, 535, 538];

/** 552: the mail is too large, which some servers already report after MAIL FROM. */
const tooLarge = 552;

function isFinal({ command }: SmtpFailure, code: number): boolean {
  if (code < 500 || code > 599 || aboutTheSession.includes(code)) return false;
  if (command === "MAIL FROM") return code === tooLarge;
  return command === "RCPT TO" || command === "DATA";
}

function readFailure(error: unknown): SmtpFailure {
  if (!(error instanceof Error)) {
    const message = String(error);
    return { code: null, origin: null, responseCode: null, command: null, message };
  }
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  const first = "originalCode" in error ? error.originalCode : null;
  const origin = typeof first === "string" ? first : null;
  const command = "command" in error && typeof error.command === "string" ? error.command : null;
  const reply = "responseCode" in error ? error.responseCode : null;
  const responseCode = typeof reply === "number" && reply > 0 ? reply : null;
  return { code, origin, responseCode, command, message: error.message };
}

/** CERT_HAS_EXPIRED, DEPTH_ZERO_SELF_SIGNED_CERT, UNABLE_TO_VERIFY_LEAF_SIGNATURE, ERR_SSL_WRONG_VERSION_NUMBER … */
const aboutTls = /CERT|TLS|SSL|SIGNATURE/;

function sentence({ code, origin, command, message }: SmtpFailure, host: string): string {
  const said = message.replaceAll(/\s+/g, " ").trim();
  const what = networkFailureOf(origin ?? "", host)?.problem ?? said;
  const answer = what;
  if (aboutTls.test(origin ?? "")) return stored("problem.smtp.untrusted", { answer });
  if (command === "MAIL FROM") return stored("problem.smtp.sender", { answer });
  // Removes nodemailer's remark about all recipients, because each mail has only one.
  if (command === "RCPT TO" || code === "EENVELOPE")
    return what.replace(/^Can't send mail - all recipients were rejected: /, "");
  switch (code ?? "") {
    case "EAUTH":
    case "ENOAUTH":
      return stored("problem.smtp.login", { answer });
    case "ETLS":
      return stored("problem.smtp.untrusted", { answer });
    case "ETIMEDOUT":
      return stored("problem.smtp.silent", { answer });
    case "EDNS":
    case "ESOCKET":
    case "ECONNECTION":
      return stored("problem.smtp.unreached", { answer });
    default:
      return what;
  }
}
