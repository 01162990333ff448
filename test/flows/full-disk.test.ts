import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ClientSetting, clientSetting, day, icsDay } from "../clients/setting.ts";
import { eventually } from "../support/eventually.ts";
import { canFillDisk, fullDisk } from "../support/full-disk.ts";

describe.skipIf(!canFillDisk())("a daemon whose disk is full for a while", () => {
  let setting: ClientSetting;
  beforeAll(async () => {
    setting = await clientSetting();
  });
  afterAll(() => setting?.close());

  const get = async (path: string) => {
    const { url, adminToken } = setting.daemon;
    const answer = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    const body: Readonly<Record<string, unknown>> = JSON.parse(await answer.text());
    return { status: answer.status, body };
  };

  const put = (title: string) =>
    fetch(`${setting.home}${setting.slugs.events}/full.ics`, {
      method: "PUT",
      headers: {
        authorization: `Basic ${btoa(`${setting.login}:${setting.password}`)}`,
        "content-type": "text/calendar",
      },
      body: [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Tests//EN",
        "BEGIN:VEVENT",
        "UID:full@example.com",
        "DTSTAMP:20260101T000000Z",
        `SUMMARY:${title}`,
        `DTSTART;VALUE=DATE:${icsDay(3)}`,
        "END:VEVENT",
        "END:VCALENDAR",
        "",
      ].join("\r\n"),
    });

  it("reports it, accepts nothing meanwhile, and recovers by itself", async () => {
    const disk = fullDisk();
    setting.addEvent({ title: "There", start: day(3), end: day(3), all_day: true });
    expect((await put("Before")).status).toBe(201);
    disk.fill();
    await eventually("the fault is reported", async () =>
      (await get("/healthz")).status === 503 ? true : null,
    );
    expect((await get("/healthz")).body.problem).toContain("nothing can be stored");
    const status = (await get("/api/status")).body;
    expect(status).toMatchObject({
      storage: { kind: "failing" },
      errors: expect.arrayContaining([
        expect.objectContaining({ source: "storage", severity: "problem" }),
      ]),
    });
    const refused = await put("Refused");
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain("nothing can be stored");

    disk.makeRoom();
    await eventually("the disk works again", async () =>
      (await get("/healthz")).status === 200 ? true : null,
    );
    expect((await put("After")).status).toBe(204);
    await setting.arrived();
    expect(setting.eventTitles()).toEqual(["After", "There"]);
    expect((await get("/api/status")).body).toMatchObject({ storage: null });
  });
});
