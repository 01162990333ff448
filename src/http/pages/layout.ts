import type { Viewer } from "../../domain/visibility.ts";
import { currentLanguage, languageCodes, languages, say } from "../../texts/say.ts";
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
  /** The theme chosen in this browser; null to follow the system. */
  readonly theme: Theme | null;
  /** Null while the service is available. */
  readonly outage: OutageNotice | null;
}

/** What the forms, links and times of a page need. */
export interface FormFrame extends Pick<PageFrame, "root"> {
  /** The token of the page's forms. */
  readonly formToken: string;
  /** The viewer's. */
  readonly zone: string;
}

export type Theme = "light" | "dark";

/** URLs of a page's files, relative to the start page. */
export interface PageAssets {
  readonly style: string;
  /** `small`: 180 pixels wide; `large`: 512. */
  readonly icons: { readonly any: string; readonly small: string; readonly large: string };
  /** For an entry of `web/`; undefined if it was not built. */
  script(entry: string): { readonly file: string; readonly styles: readonly string[] } | null;
}

/** In display order: today, calendar, edits, feeds, connect, reports, people, status. */
const navigation = [
  { id: "today", kinds: ["admin", "person"] },
  { id: "calendar", kinds: ["admin", "person"] },
  { id: "edits", kinds: ["admin", "person"] },
  { id: "feeds", kinds: ["admin", "person"] },
  { id: "connect", kinds: ["admin", "person"] },
  { id: "reports", kinds: ["admin", "person"] },
  { id: "people", kinds: ["admin"] },
  { id: "me", kinds: ["person"] },
  { id: "status", kinds: ["admin"] },
] as const;

export type NavigationId = (typeof navigation)[number]["id"];

/** A whole page without inline styles and scripts. */
export function layout(page: Page, frame: PageFrame): string {
  const { title, lead = null, actions = null, body, width } = page;
  const { root, viewer, assets, outage, theme } = frame;
  const zone = viewer?.zone ?? frame.zone;
  const scripts = ["page", ...(page.scripts ?? [])].flatMap((entry) => assets.script(entry) ?? []);
  const styles = [assets.style, ...scripts.flatMap((script) => script.styles)];
  return html`<!doctype html>
<html lang="${currentLanguage()}" data-root="${root}"${theme && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="application-name" content="Dayferry">
<title>${title === appName ? appName : `${title} · ${appName}`}</title>
<link rel="icon" href="${root}${assets.icons.any}" type="image/svg+xml">
<link rel="apple-touch-icon" href="${root}${assets.icons.small}">
<link rel="manifest" href="${root}app.webmanifest">
${styles.map((file) => html`<link rel="stylesheet" href="${root}${file}">\n`)}${scripts.map(
  ({ file }) => html`<script type="module" src="${root}${file}"></script>\n`,
)}</head>
<body class="${viewer ? "framed" : "bare"}">
<a class="skip" href="#main">${say("layout.skip")}</a>
<header class="bar">
<a class="brand" href="${root}"><img src="${root}${assets.icons.any}" alt="" width="28" height="28">${appName}</a>
${viewer && menu(viewer, root, page.current)}
${viewer && searchBox(root)}
${viewer && loggedIn(viewer, frame)}
</header>
<main id="main" tabindex="-1" class="page${width === "narrow" ? " narrow" : ""}">
<div class="head"><h1>${title}</h1>${actions}${lead && html`<p class="lead">${lead}</p>`}</div>
${viewer && outage && page.current !== "today" ? outageNotice(outage, viewer) : null}
${body}
${viewer && html`<footer class="foot"><span data-zone="${zone}">${say("layout.zone", { zone: zone.replaceAll("_", " ") })}</span>${languageSwitch(frame)}${themeSwitch(theme)}</footer>`}
</main>
</body>
</html>
`.text;
}

const appName = "Dayferry";

function loggedIn(viewer: Viewer, { root, formToken }: PageFrame): Markup {
  const name = viewer.kind === "admin" ? say("layout.admin") : viewer.name;
  return html`<div class="who"><bdi>${name}</bdi><form method="post" action="${root}logout"><input type="hidden" name="form" value="${formToken}"><button class="link">${say("layout.logOut")}</button></form></div>`;
}

/** Works without scripts; with scripts, a choice is submitted at once. */
const languageSwitch = ({ root, formToken }: PageFrame): Markup =>
  html`<form class="language" method="post" action="${root}language"><input type="hidden" name="form" value="${formToken}"><label for="language">${say("layout.language")}</label> <select id="language" name="language">${languageCodes.map(
    (code) =>
      html`<option value="${code}" lang="${code}"${code === currentLanguage() ? html` selected` : null}>${languages[code]}</option>`,
  )}</select> <button>${say("layout.setLanguage")}</button></form>`;

const themes = [
  { value: "", label: "layout.themeSystem" },
  { value: "light", label: "layout.themeLight" },
  { value: "dark", label: "layout.themeDark" },
] as const;

/** Shown by the page's script. */
const themeSwitch = (theme: Theme | null): Markup =>
  html`<span class="theme" hidden><label for="theme">${say("layout.theme")}</label> <select id="theme">${themes.map(
    ({ value, label }) =>
      html`<option value="${value}"${value === (theme ?? "") ? html` selected` : null}>${say(label)}</option>`,
  )}</select></span>`;

/** On a phone it is a link to the search page. */
const searchBox = (root: string): Markup =>
  html`<form method="get" action="${root}search" class="find" role="search"><label class="unseen" for="find">${say("layout.search")}</label><input type="search" id="find" name="text" placeholder="${say("layout.search")}" autocomplete="off"></form>
<a class="find" href="${root}search">${icon("search")}<span class="unseen">${say("layout.search")}</span></a>`;

/** The first entries; on a phone they form a bar at the bottom, and the others open above it. */
const inBar = 4;

function menu({ kind }: Viewer, root: string, current: NavigationId | undefined): Markup {
  const entries = navigation.filter(({ kinds }) => kinds.some((each) => each === kind));
  const link = ({ id }: (typeof navigation)[number]) =>
    html`<li><a href="${root}${id === "today" ? "" : id}"${id === current ? html` aria-current="page"` : null}>${icon(id)}${say(`layout.${id}`)}</a></li>`;
  const others = entries.slice(inBar);
  const isOther = others.some(({ id }) => id === current);
  return html`<nav class="nav" aria-label="${say("layout.pages")}"><ul>${entries.slice(0, inBar).map(link)}</ul>
<button type="button" class="more${isOther ? " current" : ""}" popovertarget="more">${icon("more")}${say("layout.more")}</button>
<ul id="more" popover>${others.map(link)}</ul></nav>`;
}

/** Icons of the navigation: lines in a square of 20 units. */
const lines = {
  today: "M3 9l7-6 7 6v8h-5v-5H8v5H3z",
  calendar: "M3 5h14v12H3zM3 9h14M7 3v4M13 3v4",
  edits: "M4 16l1-4 8-8 3 3-8 8z",
  feeds: "M4 10a6 6 0 0 1 6 6M4 4a12 12 0 0 1 12 12M4.5 15.5h.01",
  connect: "M8 12l4-4M9 7l2-2a3 3 0 0 1 4 4l-2 2M11 13l-2 2a3 3 0 0 1-4-4l2-2",
  reports: "M4 17V9M10 17V3M16 17v-5",
  people: "M10 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 17a6 6 0 0 1 12 0",
  me: "M10 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 17a6 6 0 0 1 12 0",
  status: "M2 10h4l2-5 4 10 2-5h4",
  more: "M4 10h.01M10 10h.01M16 10h.01",
  search: "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zM13.5 13.5L17 17",
} as const;

/** An icon beside a label, or instead of a label that only screen readers speak. */
const icon = (name: keyof typeof lines): Markup =>
  html`<svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d="${lines[name]}"/></svg>`;
