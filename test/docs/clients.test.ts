import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { calendarPrograms } from "../../src/http/pages/calendar-programs.ts";

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");
const text = readFileSync(new URL("../../docs/clients.md", import.meta.url), "utf8");
const sections = new Map(
  text.split(/^## /m).map((section) => {
    const [title = "", ...rest] = section.split("\n");
    return [title, oneLine(rest.join(" "))] as const;
  }),
);

it.each(calendarPrograms("{server}"))(
  "docs/clients.md says about $name what the page Connect says",
  ({ name, steps }) => {
    for (const step of steps) {
      const said = step.replaceAll("{server}", "https://calendar.example.com/dav/");
      expect(sections.get(name)).toContain(said);
    }
  },
);
