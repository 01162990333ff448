import { expect, it } from "vitest";
import { slugOf } from "../../src/domain/slug.ts";

it.each([
  ["Website", "website"],
  ["  Größe & Maße: Süd/Łódź ", "grosse-masse-sud-lodz"],
  ["Æther Øl Œuvre Þing", "aether-ol-oeuvre-thing"],
  ["../../etc/passwd?x=1#y", "etc-passwd-x-1-y"],
  ["Проект", "project-7"],
  ["项目 2027", "project-7"],
  ["", "project-7"],
  ["---", "project-7"],
  [`${"a".repeat(59)} tail`, "a".repeat(59)],
])("slug of %j", (title, slug) => {
  expect(slugOf(title, "project-7")).toBe(slug);
});
