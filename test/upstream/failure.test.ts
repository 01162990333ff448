import { expect, test } from "vitest";
import { describeFailure, type Failure } from "../../src/upstream/failure.ts";

const request = "GET /labels/5";
const seconds = (count: number) => Temporal.Duration.from({ milliseconds: count * 1000 - 1 });

const failures: readonly (readonly [Failure, string])[] = [
  [
    { kind: "refused", status: 401, message: "bad key", request },
    "The service rejects this key for GET /labels/5 (401): bad key",
  ],
  [
    { kind: "refused", status: 403, message: "Forbidden", request },
    "The service denies this key access to GET /labels/5 (403): Forbidden",
  ],
  [
    { kind: "refused", status: 404, message: "gone", request },
    "The service has no such resource: GET /labels/5 (404): gone",
  ],
  [
    { kind: "refused", status: 422, message: "too long", request },
    "The service rejected it: too long (GET /labels/5, 422)",
  ],
  [
    { kind: "rate-limited", retryAfter: seconds(90), request },
    "The service is over its request limit for 90 s more: GET /labels/5",
  ],
  [
    { kind: "unavailable", status: 503, message: "down", request, retryAfter: null },
    "The service cannot be reached or is failing (503): GET /labels/5: down",
  ],
  [
    { kind: "unavailable", status: null, message: "reset", request, retryAfter: null },
    "The service cannot be reached or is failing: GET /labels/5: reset",
  ],
  [
    { kind: "unreadable", message: "the body is empty", request },
    "The service's response to GET /labels/5 cannot be read: the body is empty",
  ],
  [
    { kind: "service-refused", code: 2033, message: "wrong type", request },
    "The service rejected it: wrong type (GET /labels/5, code 2033)",
  ],
  [
    { kind: "unknown-outcome", message: "reset", request },
    "It is unknown whether the service has carried out GET /labels/5: reset",
  ],
  [{ kind: "aborted", request }, "GET /labels/5 was canceled"],
];
test.each(failures)("describeFailure() has words for %j", (failure, sentence) => {
  expect(describeFailure(failure)).toBe(sentence);
});
