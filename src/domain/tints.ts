import type { ProjectId } from "./ids.ts";

/** Colours for projects without one of their own, `#RRGGBB`; `web/style.css` has the same, and others for dark pages. */
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

/** Which of the colours a project without one has, from 0. */
export const tintOf = (project: ProjectId): number => project % tints.length;
