import { expect, test } from "vitest";
import { isUnsent, networkFailure } from "../../src/domain/network-failure.ts";

const coded = (code: string) => Object.assign(new Error("in the system's words"), { code });

test.each([
  ["ENOTFOUND", "name", /^the name company\.example cannot be resolved by DNS .*\(ENOTFOUND\)$/],
  ["EAI_AGAIN", "name", /^the name company\.example cannot be resolved: DNS is failing/],
  ["ESERVFAIL", "name", /cannot be resolved/],
  ["ECONNREFUSED", "closed", /^company\.example does not accept connections/],
  ["ENETUNREACH", "closed", /^there is no network route to company\.example/],
  ["ETIMEDOUT", "silent", /^company\.example does not respond/],
  ["CERT_HAS_EXPIRED", "certificate", /certificate of company\.example has expired, or the clock/],
  ["CERT_NOT_YET_VALID", "certificate", /not valid yet, or the clock of this machine is behind/],
  ["CERT_REVOKED", "certificate", /has been revoked/],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "certificate",
    /presented for company\.example belongs to another host/,
  ],
  [
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "certificate",
    /not signed by a trusted authority; NODE_EXTRA_CA_CERTS/,
  ],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "certificate", /not signed by a trusted authority/],
  ["CERT_SIGNATURE_FAILURE", "certificate", /certificate of company\.example is not accepted/],
  ["EPROTO", "encryption", /company\.example offers no TLS/],
  ["ECONNRESET", "cut", /^company\.example closed the connection/],
  ["HPE_INVALID_CONSTANT", "cut", /does not speak HTTP/],
] as const)("a network failure is explained for %s", (code, kind, words) => {
  const found = networkFailure(coded(code), "company.example");
  expect(found).toMatchObject({ kind, problem: expect.stringMatching(words) });
  expect(found && isUnsent(found)).toBe(!["silent", "cut"].includes(kind));
});

test("a network failure is explained by the code of its cause, or without one", () => {
  const wrapped = new Error("fetch failed", { cause: coded("ENOTFOUND") });
  expect(networkFailure(wrapped, "a.example")?.problem).toContain("a.example");
  expect(networkFailure(new Error("socket hang up"), "a.example")?.kind).toBe("cut");
  expect(networkFailure(new Error("odd"), "a.example")).toBe(null);
  expect(networkFailure("odd", "a.example")).toBe(null);
});
