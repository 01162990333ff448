import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createAccess } from "../../src/http/access.ts";

// One version everywhere, one page that leads to every document, and no dead address in a document.

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const { version } = JSON.parse(read("package.json"));
const documents = readdirSync(new URL("../../docs", import.meta.url)).filter((file) =>
  file.endsWith(".md"),
);

it.each([
  ["CHANGELOG.md", `\n## ${version} (`],
  ["docs/upgrading.md", `\n### ${version}\n`],
  ["docs/install.md", `dayferry-${version}.tgz`],
  ["Dockerfile", `org.opencontainers.image.version="${version}"`],
  ["deploy/kubernetes/statefulset.yaml", `/dayferry:${version}\n`],
  ["man/dayferry.1", `"Dayferry ${version}"`],
  ["sbom.cdx.json", `pkg:npm/dayferry@${version}`],
])("%s has the package's version", (file, words) => {
  expect(read(file)).toContain(words);
});

it("docs/README.md links to every document, and the README to it", () => {
  const index = read("docs/README.md");
  const left = documents.filter((file) => file !== "README.md" && !index.includes(`(${file})`));
  expect(left).toEqual([]);
  expect(read("README.md")).toContain("(docs/README.md)");
});

it("addresses with a method in documents respond", () => {
  const access = createAccess();
  const named = ["README.md", "CHANGELOG.md", ...documents.map((file) => `docs/${file}`)].flatMap(
    (file) =>
      [
        ...read(file).matchAll(
          /`(GET|HEAD|POST|PATCH|DELETE) (\/(?:api|healthz|readyz|metrics|act|feeds|live)(?:[\w/-]|\.(?=\w))*)/g,
        ),
      ].map(([, method = "", path = ""]) => ({ file, method, path })),
  );
  const lost = named.filter(({ method, path }) => access(method, path).kind !== "rule");
  expect(lost).toEqual([]);
  expect(named.length).toBeGreaterThan(20);
});
