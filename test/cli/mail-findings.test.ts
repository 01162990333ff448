import { describe, expect, it } from "vitest";
import { mailFindings, senderFindings } from "../../src/cli/mail-findings.ts";

describe("findings of doctor about mail", () => {
  it("are none if all went well", () => {
    expect(mailFindings({ deferred: 0, problem: null, refusals: [] }, "Europe/Berlin")).toEqual([]);
  });

  it("list waiting mails and rejecting addresses, one line for each", () => {
    const refusal = { problem: "550 5.1.1 no such user", at: "2026-11-24T08:45:00Z" };
    const fares = {
      deferred: 2,
      problem: "451 busy",
      refusals: [
        { ...refusal, address: "ben@example.com", code: 550, mails: 3 },
        { ...refusal, address: null, code: null, mails: 1 },
      ],
    };
    const findings = mailFindings(fares, "Europe/Berlin");
    expect(findings.map(({ verdict, subject, what }) => [verdict, subject, what])).toEqual([
      ["doubtful", "mail queue", "2 mails wait for another try: 451 busy"],
      [
        "doubtful",
        "mail to ben@example.com",
        "3 not taken (code 550), the last on 2026-11-24 09:45:00 (Europe/Berlin): 550 5.1.1 no such user",
      ],
      [
        "doubtful",
        "mail to an unknown address",
        "1 not taken, the last on 2026-11-24 09:45:00 (Europe/Berlin): 550 5.1.1 no such user",
      ],
    ]);
  });
});

it.each([
  ["dayferry@example.com", "smtp://localhost", 1],
  ["a@calendar.example.org", "smtp://localhost", 1],
  ["dayferry@example.com", null, 0],
  ["dayferry@company.test", "smtp://localhost", 0],
  ["dayferry@myexample.com", "smtp://localhost", 0],
])("for sender %s over %j number %i", (address, smtpUrl, count) => {
  const from = { name: "Dayferry", address };
  expect(senderFindings({ smtpUrl, from })).toHaveLength(count);
});
