const retryMs = 60_000;
/** Of a change every open page hears at once; each waits a moment of its own before it asks. */
const spreadMs = 300;
/** What somebody is at work in is left alone for so long. */
const patienceMs = 5000;
/** Ages stand still on a page: where somebody looks at them they are asked for so often. */
const agingMs = 30_000;
/** A page that is left is not asked for: what it shows may be gone. One that stays all the same, as beside a file that is kept, goes on after this. */
const leavingMs = 10_000;
/** A connection that comes back within this was not worth a word. */
const lostMs = 4000;

/**
 * Keeps the sections that follow what changes (`data-live`, with the topics that concern them; `age` is the passing of time) as
 * the server would show them now. A page that nobody looks at neither listens nor asks; it catches up when it is looked at
 * again. Where that is not possible the page says so, and as of when it is.
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
      // A browser tries again by itself unless it was refused.
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
    const clock = shownAt.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
    const asOf = `This page is as it was at ${clock}.`;
    if (loss === undefined) return;
    if (answer && isElsewhere(answer)) say(`You are logged out. ${asOf}`, "Log in again");
    else if (!answer?.ok) say(`Dayferry does not answer. ${asOf}`, "Load it again");
    else say(`Changes are not followed now. ${asOf}`, "Load it again");
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
        // Time passes by itself: its turn comes again.
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

/** This page as it would be now; null where nothing answers. */
const ownPage = (): Promise<Response | null> =>
  fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);

/** Whether the answer is another page: the one to log in. */
const isElsewhere = ({ redirected, status }: Response): boolean => redirected || status === 401;

/** One line above everything, with a link that loads the page again; null takes it away. */
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
 * Shows the sections of these topics anew. `left`: one was left alone because somebody is at work in it; `lost`: the page as it
 * would be now could not be had.
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

/** What is unfolded stays so; it is known by its heading. */
const openParts = (section: Element): ReadonlySet<string> =>
  new Set(
    [...section.querySelectorAll("details[open] > summary")].map(({ textContent }) => textContent),
  );
