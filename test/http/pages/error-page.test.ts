import { describe, expect, it } from "vitest";
import { errorPage } from "../../../src/http/pages/error-page.ts";
import { startApp } from "../app-rig.ts";

const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("an error", () => {
  it("is a page for a browser, with a way on, and problem+json for a program", async () => {
    const { call } = await startApp();
    const page = await call("GET /deep/nowhere", { headers: { accept } });
    expect(page.status).toBe(404);
    expect(page.headers["content-type"]).toContain("text/html");
    expect(page.headers["vary"]).toContain("Accept");
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(page.text).toContain("<h1>Nothing here</h1>");
    expect(page.text).toContain("There is nothing at GET /deep/nowhere.");
    expect(page.text).toContain('href="../"');
    for (const other of ["*/*", "application/json", "text/calendar, */*;q=0.5"]) {
      const problem = await call("GET /deep/nowhere", { headers: { accept: other } });
      expect(problem.headers["content-type"]).toContain("application/problem+json");
    }
  });

  it("says that a form of another site is not allowed", async () => {
    const { call } = await startApp();
    const headers = { accept, "sec-fetch-site": "cross-site" };
    const { status, text } = await call("POST /logout", { headers });
    expect(status).toBe(403);
    expect(text).toContain("<h1>Not allowed</h1>");
  });
});

it.each([
  [404, "Nothing here"],
  [418, "This did not work"],
  [429, "Too many requests"],
  [500, "Something failed here"],
  [502, "Something failed here"],
  [503, "Not available just now"],
])("the error page has a heading for %i", (status, title) => {
  expect(errorPage({ status, detail: "x" }, "./").title).toBe(title);
});
