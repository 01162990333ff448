import { locale, say as message } from "./say.ts";

const retryMs = 60_000;
/** Every open page hears of a change at once; each waits a random moment before it asks. */
const spreadMs = 300;
/** How long a section in use is left alone. */
const patienceMs = 5000;
/** How often ages are updated while the page is visible. */
const agingMs = 30_000;
/**
 * A page that is being left does not ask, because its content may be gone. If it stays after all, as for a download, it
 * continues after this.
 */
const leavingMs = 10_000;
/** An interruption shorter than this is not mentioned. */
const lostMs = 4000;

/**
 * Keeps the sections that follow changes (`data-live`, with their topics; `age` is the passing of time) as the server would
 * render them now. A hidden page neither listens nor asks, and catches up when visible. If that fails, the page says so, and
 * from when its content is.
 */
export function followChanges({ onShown }: { readonly onShown: (section: Element) => void }): void {
  const root = document.documentElement.dataset["root"] ?? "./";
  if (document.querySelector("[data-live]") === null) return;
  let source: EventSource | null = null;
  let last = "";
  let waiting = new Set<string>();
  let isAsking = false;
  let shownAt = new Date();
  let loss: ReturnType<typeof setTimeout> | undefined;
  let leftAt = Number.NEGATIVE_INFINITY;

  function listen(): void {
    if (source || document.hidden) return;
    const since = last === "" ? "" : `?since=${encodeURIComponent(last)}`;
    source = new EventSource(`${root}live${since}`);
    source.addEventListener("changed", (event) => {
      last = event.lastEventId;
      const topics: unknown = Object(JSON.parse(String(event.data))).topics;
      if (Array.isArray(topics)) ask(topics.map(String));
    });
    source.addEventListener("hello", (event) => {
      last = event.lastEventId;
      isFollowing();
    });
    source.addEventListener("error", () => {
      loss ??= setTimeout(() => void tellLoss(), lostMs);
      // A browser reconnects itself unless it was rejected.
      if (source?.readyState !== EventSource.CLOSED) return;
      source = null;
      setTimeout(listen, retryMs);
    });
  }

  function isFollowing(): void {
    clearTimeout(loss);
    loss = undefined;
    say(null);
  }

  async function tellLoss(): Promise<void> {
    const answer = await ownPage();
    const clock = shownAt.toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit" });
    const asOf = message("script.asOf", { clock });
    if (loss === undefined) return;
    if (answer && isElsewhere(answer))
      say(`${message("script.loggedOut")} ${asOf}`, message("script.logIn"));
    else if (!answer?.ok)
      say(`${message("script.noResponse")} ${asOf}`, message("script.loadAgain"));
    else say(`${message("script.notFollowed")} ${asOf}`, message("script.loadAgain"));
  }

  function ask(topics: readonly string[], afterMs = spreadMs * Math.random()): void {
    for (const topic of topics) waiting.add(topic);
    if (isAsking) return;
    isAsking = true;
    setTimeout(() => {
      if (performance.now() < leftAt + leavingMs) {
        isAsking = false;
        ask([], leavingMs);
        return;
      }
      const now = waiting;
      waiting = new Set();
      void refresh(now, onShown).then((outcome) => {
        isAsking = false;
        if (outcome === "lost") {
          loss ??= setTimeout(() => void tellLoss(), lostMs);
          return;
        }
        shownAt = new Date();
        isFollowing();
        // Time passes anyway: its turn comes again.
        now.delete("age");
        if (outcome === "left" && now.size > 0) ask([...now], patienceMs);
        else if (waiting.size > 0) ask([]);
      });
    }, afterMs);
  }

  window.addEventListener("beforeunload", () => {
    leftAt = performance.now();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      source?.close();
      source = null;
      return;
    }
    listen();
    ask(["age"]);
  });
  setInterval(() => {
    if (source?.readyState === EventSource.OPEN) ask(["age"]);
  }, agingMs);
  listen();
}

/** The current version of this page; null without a response. */
const ownPage = (): Promise<Response | null> =>
  fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);

/** True if the response is another page: the login page. */
const isElsewhere = ({ redirected, status }: Response): boolean => redirected || status === 401;

/** One line above everything, with a link that reloads the page; null removes it. */
function say(text: string | null, linkText = ""): void {
  document.getElementById("live-said")?.remove();
  if (text === null) return;
  const line = document.createElement("p");
  line.id = "live-said";
  line.className = "notice wait";
  line.setAttribute("role", "status");
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = linkText;
  line.append(`${text} `, link);
  document.querySelector("main")?.prepend(line);
}

/**
 * Renders the sections of these topics again. `left`: one was left alone because it is in use; `lost`: the current page could
 * not be loaded.
 */
async function refresh(
  topics: ReadonlySet<string>,
  onShown: (section: Element) => void,
): Promise<"shown" | "left" | "lost"> {
  const sections = [...document.querySelectorAll<HTMLElement>("[data-live][id]")].filter(
    ({ dataset }) => (dataset["live"] ?? "").split(" ").some((topic) => topics.has(topic)),
  );
  if (sections.length === 0) return "shown";
  const answer = await ownPage();
  if (!answer?.ok || isElsewhere(answer)) return "lost";
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  let isLeft = false;
  for (const section of sections) {
    const fresh = page.getElementById(section.id);
    if (!fresh || fresh.innerHTML === section.dataset["shown"]) continue;
    if (section.contains(document.activeElement)) {
      isLeft = true;
      continue;
    }
    const open = openParts(section);
    section.dataset["shown"] = fresh.innerHTML;
    section.className = fresh.className;
    section.replaceChildren(...document.importNode(fresh, true).childNodes);
    for (const part of section.querySelectorAll("details")) {
      if (open.has(part.querySelector("summary")?.textContent ?? "")) part.open = true;
    }
    onShown(section);
  }
  return isLeft ? "left" : "shown";
}

/** Expanded parts stay expanded; they are identified by their heading. */
const openParts = (section: Element): ReadonlySet<string> =>
  new Set(
    [...section.querySelectorAll("details[open] > summary")].map(({ textContent }) => textContent),
  );
