import { expect, test } from "vitest";
import { acceptsGzip, codingFor } from "../src/accept-encoding.ts";

test.each([
  [undefined, null],
  ["", null],
  ["deflate", null],
  ["identity", null],
  ["gzip", "gzip"],
  ["GZIP ; Q=0.5", "gzip"],
  ["br", "br"],
  ["gzip, br", "gzip"],
  ["br, gzip, deflate", "gzip"],
  ["gzip;q=0.5, br", "br"],
  ["gzip;q=0, br", "br"],
  ["gzip;q=0.000", null],
  ["*", "gzip"],
  ["*;q=0", null],
  ["gzip;q=0, *", "br"],
  ["br;q=0.8, *;q=0.1", "br"],
  ["identity, gzip;q=0.5", null],
  ["identity;q=0, br;q=0.1", "br"],
])("codingFor() of %j is %j", (header, coding) => {
  expect(codingFor(header)).toBe(coding);
});

test.each([
  ["gzip", true],
  ["gzip;q=0.3", true],
  ["gzip;q=0", false],
  ["br", false],
  ["*", false],
  [undefined, false],
])("acceptsGzip() of %j is %j", (header, accepted) => {
  expect(acceptsGzip(header)).toBe(accepted);
});
