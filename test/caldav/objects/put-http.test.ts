import { describe, expect, it } from "vitest";
import { vevent } from "../../edits/rig.ts";
import { startDav } from "../../support/dav-server.ts";
import { object } from "./object-rig.ts";

const calendar = "/dav/calendars/11/events-2001/";
const party = object(vevent("p@example.com", "SUMMARY:Party", "DTSTART;VALUE=DATE:20261224"));
const type = { "content-type": "text/calendar" };

describe("objects over HTTP", () => {
  it("are put, listed, read, moved and deleted at the returned addresses", async () => {
    const { call } = await startDav();
    const put = await call(`PUT ${calendar}my%20party.ics`, { headers: type, body: party });
    expect(put.status).toBe(201);
    const { etag = "", location = "" } = put.headers;
    expect(new URL(location).pathname).toBe(`${calendar}my%20party.ics`);

    const listed = await call(`PROPFIND ${calendar}`, { headers: { depth: "1" } });
    expect(listed.text).toContain(`<d:href>${calendar}my%20party.ics</d:href>`);
    const got = await call(`GET ${calendar}my%20party.ics`);
    expect(got.text).toBe(party);
    expect(got.headers.etag).toBe(etag);
    const head = await call(`HEAD ${calendar}my%20party.ics`);
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(head.headers["content-length"]).toBe(String(Buffer.byteLength(party)));
    const same = await call(`GET ${calendar}my%20party.ics`, {
      headers: { "if-none-match": etag },
    });
    expect(same).toMatchObject({ status: 304, text: "" });

    const destination = location.replace("my%20party", "ours");
    const moved = await call(`MOVE ${calendar}my%20party.ics`, { headers: { destination } });
    expect(moved.status).toBe(201);
    expect((await call(`GET ${calendar}ours.ics`)).text).toBe(party);
    const gone = await call(`DELETE ${calendar}ours.ics`, { headers: { "if-match": etag } });
    expect(gone.status).toBe(204);
    expect((await call(`GET ${calendar}ours.ics`)).status).toBe(404);
  });

  it("may be sent in chunks, announced or not", async () => {
    const { call } = await startDav();
    const headers = { ...type, "transfer-encoding": "chunked", expect: "100-continue" };
    expect((await call(`PUT ${calendar}a.ics`, { headers, body: party })).status).toBe(201);
    expect((await call(`GET ${calendar}a.ics`)).text).toBe(party);
  });
});
