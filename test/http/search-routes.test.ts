import { describe, expect, it } from "vitest";
import { browserOf } from "./page-browser.ts";

describe("/search", () => {
  it("links to every match that the viewer may see", async () => {
    const admin = await browserOf("admin");
    const all = (await admin.get("/search?text=re")).text;
    expect(all).toMatch(/href="calendar\/items\/\d+"><bdi>Review</);
    expect((await admin.get("/search?text=secret")).text).toContain("<bdi>Secret</bdi>");
    expect((await admin.get("/search?text=fair")).text).toContain('href="calendar?project=2002"');
    expect((await admin.get("/search?text=ben")).text).toContain('href="calendar?person=12"');
    expect((await admin.get("/search?text=timezone")).text).toContain("status#configuration");
    const member = await browserOf("ana");
    expect((await member.get("/search?text=review")).text).toContain("<bdi>Review</bdi>");
    for (const text of ["secret", "fair", "timezone"]) {
      expect((await member.get(`/search?text=${text}`)).text).toContain("Nothing found");
    }
  });

  it("is in every page's header", async () => {
    const { get } = await browserOf("ana");
    for (const [path, root] of [
      ["/", "./"],
      ["/feeds/1", "../"],
    ]) {
      expect((await get(path ?? "")).text).toContain(`action="${root}search"`);
    }
  });
});
