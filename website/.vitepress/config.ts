import { cpSync, globSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type DefaultTheme, defineConfig } from "vitepress";

// The documents of the repository as a site with search: `npm run docs`. A dead link fails the build.

const root = join(import.meta.dirname, "../..");

// Pages must lie below this folder, as they import what is installed here.
const pages = join(import.meta.dirname, "pages");
rmSync(pages, { recursive: true, force: true });
for (const path of globSync(["*.md", "docs", "packages/*/README.md"], { cwd: root })) {
  cpSync(join(root, path), join(pages, path), { recursive: true });
}
cpSync(join(root, "web/icon.svg"), join(pages, "public/icon.svg"));

/** Names of the decision records, in order. */
const decisions = readdirSync(join(root, "docs/decisions")).toSorted();

const titleOf = (path: string): string =>
  /^# (.+)$/m.exec(readFileSync(join(root, path), "utf8"))?.[1] ?? path;

const page = (name: string): DefaultTheme.SidebarItem => ({
  text: titleOf(`docs/${name}.md`),
  link: `/docs/${name}`,
});

/** Links to what is no page: a folder leads to its first page, and a file to nothing. */
const otherLinks: Readonly<Record<string, string>> = {
  "decisions/": `decisions/${decisions[0]}`,
  LICENSE: "README.md",
};

export default defineConfig({
  title: "Dayferry",
  description: "Bidirectional calendar and sync daemon",
  head: [["link", { rel: "icon", href: "/icon.svg" }]],
  srcDir: ".vitepress/pages",
  outDir: "dist",
  rewrites: { "README.md": "index.md", "docs/README.md": "docs/index.md" },
  markdown: {
    // Angle brackets in the documents are placeholders.
    html: false,
    config: (md) => {
      md.core.ruler.push("other-links", ({ tokens }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const other = otherLinks[token.attrGet("href") ?? ""];
          if (other !== undefined) token.attrSet("href", other);
        }
      });
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Documents", link: "/docs/" },
      { text: "Changelog", link: "/CHANGELOG" },
    ],
    sidebar: [
      {
        text: "Use",
        items: ["install", "clients", "edits", "mail", "reports", "troubleshooting"].map(page),
      },
      {
        text: "Operate",
        items: [
          ...["operating", "people", "backups", "upgrading", "scaling", "security"],
          "performance",
        ].map(page),
      },
      {
        text: "Reference",
        items: ["configuration", "api", "metrics", "messages", "standards"].map(page),
      },
      {
        text: "Contribute",
        items: [
          { text: "Contributing", link: "/CONTRIBUTING" },
          ...["architecture", "testing"].map(page),
        ],
      },
      {
        text: "Decisions",
        collapsed: true,
        items: decisions.map((file) => page(`decisions/${file.replace(/\.md$/, "")}`)),
      },
    ],
  },
});
