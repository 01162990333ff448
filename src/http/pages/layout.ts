import type { Viewer } from "../../domain/visibility.ts";
import { html, type Markup } from "./markup-template.ts";
import { type OutageNotice, outageNotice } from "./outage-notice.ts";

/** A page. Its links are relative to its URL. */
export interface Page {
  /** Its heading and browser title. */
  readonly title: string;
  /** The content below the heading. */
  readonly body: Markup;
  /** A sentence under the heading. */
  readonly lead?: Markup | string;
  /** Buttons beside the heading. */
  readonly actions?: Markup | null;
  /** Its navigation entry. */
  readonly current?: NavigationId;
  /** A narrow page has one message or question. */
  readonly width?: "narrow";
  /** Additional entries of `web/` for this page. */
  readonly scripts?: readonly string[];
}

/** The frame of a page: its location, its viewer, and its files. */
export interface PageFrame {
  /** From the page's URL to the start page's, as in `../`. */
  readonly root: string;
  /** Null if nobody is signed in: there is no navigation then. */
  readonly viewer: Viewer | null;
  /** For the sign-out button. */
  readonly formToken: string;
  /** The account's zone, for viewers whose zone is unknown. */
  readonly zone: string;
  readonly assets: PageAssets;
  /** Null while the service is available. */
  readonly outage: OutageNotice | null;
}

/** URLs of a page's files, relative to the start page. */
export interface PageAssets {
  readonly style: string;
  readonly icon: string;
  /** For an entry of `web/`; undefined if it was not built. */
  script(entry: string): { readonly file: string; readonly styles: readonly string[] } | null;
}

/** In display order: today, calendar, edits, feeds, connect, reports, people, status. */
const navigation = [
  { id: "today", label: "Today", path: "", kinds: ["admin", "person"] },
  { id: "calendar", label: "Calendar", path: "calendar", kinds: ["admin", "person"] },
  { id: "edits", label: "Edits", path: "edits", kinds: ["admin", "person"] },
  { id: "feeds", label: "Feeds", path: "feeds", kinds: ["admin", "person"] },
  { id: "connect", label: "Connect", path: "connect", kinds: ["admin", "person"] },
  { id: "reports", label: "Reports", path: "reports", kinds: ["admin", "person"] },
  { id: "people", label: "People and mail", path: "people", kinds: ["admin"] },
  { id: "me", label: "You", path: "me", kinds: ["person"] },
  { id: "status", label: "Status", path: "status", kinds: ["admin"] },
] as const;

export type NavigationId = (typeof navigation)[number]["id"];

/** URL of a navigation entry, relative to the start page; null if it does not exist. */
export function pathOf(id: string): string | null {
  return navigation.find((entry) => entry.id === id)?.path ?? null;
}

/** A whole page without inline styles and scripts. */
export function layout(page: Page, frame: PageFrame): string {
  const { title, lead = null, actions = null, body, width } = page;
  const { root, viewer, assets, outage } = frame;
  const zone = viewer?.zone ?? frame.zone;
  const scripts = ["page", ...(page.scripts ?? [])].flatMap((entry) => assets.script(entry) ?? []);
  const styles = [assets.style, ...scripts.flatMap((script) => script.styles)];
  return html`<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="application-name" content="Dayferry">
<title>${title === appName ? appName : `${title} · ${appName}`}</title>
<link rel="icon" href="${root}${assets.icon}" type="image/svg+xml">
${styles.map((file) => html`<link rel="stylesheet" href="${root}${file}">\n`)}${scripts.map(
  ({ file }) => html`<script type="module" src="${root}${file}"></script>\n`,
)}</head>
<body class="${viewer ? "framed" : "bare"}">
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" href="${root}"><img src="${root}${assets.icon}" alt="" width="28" height="28">${appName}</a>
${viewer && loggedIn(viewer, frame)}
${viewer && menu(viewer, root, page.current)}
</header>
<main id="main" tabindex="-1" class="page${width === "narrow" ? " narrow" : ""}">
<div class="head"><h1>${title}</h1>${actions}${lead && html`<p class="lead">${lead}</p>`}</div>
${viewer && outage && page.current !== "today" ? outageNotice(outage, viewer) : null}
${body}
${viewer && html`<footer class="foot"><span data-zone="${zone}">Times are those of ${zone.replaceAll("_", " ")}.</span></footer>`}
</main>
</body>
</html>
`.text;
}

const appName = "Dayferry";

function loggedIn(viewer: Viewer, { root, formToken }: PageFrame): Markup {
  const name = viewer.kind === "admin" ? "Administrator" : viewer.name;
  return html`<div class="who"><bdi>${name}</bdi><form method="post" action="${root}logout"><input type="hidden" name="form" value="${formToken}"><button class="link">Log out</button></form></div>`;
}

function menu({ kind }: Viewer, root: string, current: NavigationId | undefined): Markup {
  const entries = navigation.filter(({ kinds }) => kinds.some((each) => each === kind));
  const items = entries.map(
    ({ id, label, path }) =>
      html`<li><a href="${root}${path}"${id === current ? html` aria-current="page"` : null}>${label}</a></li>`,
  );
  return html`<nav class="nav" aria-label="Pages"><ul>${items}</ul></nav>`;
}
