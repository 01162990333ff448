import texts from "virtual:texts/offline";

// The service worker: makes the pages installable, and shows the last start page without a connection. With one it never answers
// from its cache, so that no page or script is out of date.

const worker: WorkerScope = Object(globalThis);
const cacheName = "last-start-page";

worker.addEventListener("install", () => void worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.mode !== "navigate") return;
  // What somebody has seen is not for whoever signs in next.
  if (request.method !== "GET") event.waitUntil(caches.delete(cacheName));
  else event.respondWith(load(request));
});

async function load(request: Request): Promise<Response> {
  const start = worker.registration.scope;
  try {
    const answer = await fetch(request);
    if (request.url === start) {
      const cache = await caches.open(cacheName);
      if (answer.ok && !answer.redirected) await cache.put(start, answer.clone());
      else await cache.delete(start);
    }
    return answer;
  } catch (error) {
    const kept = await (await caches.open(cacheName)).match(start);
    if (!kept) throw error;
    return offlinePage(kept);
  }
}

/** The kept start page, which says that it is an old one. */
async function offlinePage(kept: Response): Promise<Response> {
  const at = new Date(kept.headers.get("date") ?? Date.now());
  const text = await kept.text();
  const [, language = "en"] = /<html lang="([\w-]+)"/.exec(text) ?? [];
  const said = new Map(Object.entries(texts)).get(language) ?? texts.en;
  const time = at.toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  const notice = `<div class="notice wait" role="alert">${said["offline.notice"].replace("{time}", time)} <a href="">${said["offline.tryAgain"]}</a></div>`;
  const page = text.replace(/<main [^>]*>/, (main) => `${main}${notice}`);
  const headers = { "content-type": "text/html; charset=utf-8" };
  return new Response(page, { headers });
}

interface WorkerScope {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(
    type: "install" | "activate" | "fetch",
    listener: (event: WorkerEvent) => void,
  ): void;
}

interface WorkerEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
  waitUntil(work: Promise<unknown>): void;
}
