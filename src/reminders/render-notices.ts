import { excerpt } from "../ics/text/plain-line.ts";
import type { Letter } from "./letter.ts";
import type { Stop } from "./post-office.ts";
import { shownTitle } from "./render.ts";
import { type Parking, parkedItem, parkReasonWords } from "./render-notice.ts";

/** Tells an editor in one mail of many edits that did not get into the workspace. */
export function noticesLetter(
  parkings: readonly Parking[],
  { dashboard, stop }: { readonly dashboard: string | null; readonly stop: Stop | null },
): Letter {
  const count = parkings.length === 1 ? "1 edit" : `${parkings.length} edits`;
  const titles = parkings.map((parking) => excerpt(shownTitle(parkedItem(parking)), 60));
  return {
    subject: `Not applied: ${count} – ${excerpt(titles.slice(0, 3).join(", "), 150)}`,
    lede: `Not applied: ${count}. ${excerpt(titles.join(", "), 300)}`,
    heading: `${count} not applied`,
    fact: null,
    parts: [
      {
        kind: "lines",
        lines: [
          "They are not in the workspace, and calendars show the workspace's version again.",
          "Each waits for a decision: dayferry edits show, retry or discard with its number.",
        ],
      },
      {
        kind: "section",
        heading: "Edits",
        entries: parkings.slice(0, mostShown).map((parking) => ({
          title: shownTitle(parkedItem(parking)),
          about: `edit ${parking.edit.id} · ${parkReasonWords[parking.reason]}`,
          url: null,
        })),
        more: Math.max(0, parkings.length - mostShown),
      },
      {
        kind: "links",
        links: dashboard === null ? [] : [{ label: "Open the dashboard", url: dashboard }],
      },
    ],
    reason: "You get this mail because these edits were made in your name.",
    stop,
  };
}

const mostShown = 100;
