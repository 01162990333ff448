import { createServer } from "node:https";
import { describe, expect, it, onTestFinished } from "vitest";
import { anyAddress } from "../../src/remote/address-guard.ts";
import { fetchCalendar } from "../../src/remote/fetch-calendar.ts";
import { type Certificate, canSign, createAuthority, trust } from "../support/certificates.ts";
import { untilHung } from "../support/eventually.ts";

const body = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n";

async function secureCalendar(certificate: Certificate) {
  const asked: string[] = [];
  const server = createServer({ ...certificate }, (request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(200, { "content-type": "text/calendar" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { asked, url: `https://localhost:${port}/secret-path/basic.ics` };
}

const get = (url: string) =>
  fetchCalendar(
    { url, known: null, signal: untilHung() },
    { allows: anyAddress, timeout: Temporal.Duration.from({ seconds: 5 }), most: 5_000_000 },
  );

describe.skipIf(!canSign())("fetchCalendar() over TLS", () => {
  it("reads the calendar when the authority is trusted", async () => {
    const authority = createAuthority();
    trust(authority);
    const { url, asked } = await secureCalendar(authority.sign());
    expect(await get(url)).toMatchObject({ kind: "calendar" });
    expect(asked).toEqual(["/secret-path/basic.ics"]);
  });

  it.each([
    ["has expired", { fromDay: -9, toDay: -1 }, /certificate of localhost has expired/],
    ["is not valid yet", { fromDay: 2 }, /certificate of localhost is not valid yet/],
    ["is of another host", { names: "DNS:other.example" }, /localhost belongs to another host/],
  ])("fails without revealing its secret path when the certificate %s", async (_, claim, words) => {
    const authority = createAuthority();
    trust(authority);
    const { url, asked } = await secureCalendar(authority.sign(claim));
    const fetched = await get(url);
    expect(fetched).toMatchObject({ kind: "failed", problem: expect.stringMatching(words) });
    expect(JSON.stringify(fetched)).not.toContain("secret-path");
    expect(asked).toEqual([]);
  });

  it("fails when nobody trusts the authority", async () => {
    const { url, asked } = await secureCalendar(createAuthority().sign());
    const problem = expect.stringMatching(/not signed by a trusted authority/);
    expect(await get(url)).toMatchObject({ kind: "failed", problem });
    expect(asked).toEqual([]);
  });
});
