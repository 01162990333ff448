import type { ProjectId } from "./ids.ts";

/** Colours for projects that have none, `#RRGGBB`. `web/style.css` has the same, and others for the dark theme. */
export const tints = [
  "#1559B7",
  "#14663B",
  "#8A3FFC",
  "#B0305C",
  "#8A5A00",
  "#00697A",
  "#A8201A",
  "#4A5568",
] as const;

/** The index of the colour for a project that has none. */
export const tintOf = (project: ProjectId): number => project % tints.length;
