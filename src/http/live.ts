import type { Request, RequestHandler, Response } from "express";
import type { Viewer } from "../domain/visibility.ts";
import { seesCollection } from "../domain/visibility.ts";
import { startTimer } from "../runtime.ts";
import type { Directory } from "../store/mirror/directory.ts";
import { type Topic, type TopicNews, type TopicWatch, topics } from "../store/topic-watch.ts";
import { say } from "../texts/say.ts";
import { sendProblem } from "./problem-json.ts";

export interface LiveDeps {
  readonly watch: TopicWatch;
  /** Decides who may see a project or a list. */
  readonly directory: Pick<Directory, "project" | "todolist">;
  /** Called at the start of a stream and before each event: null once the session has ended. */
  readonly find: (request: Request) => Viewer | null;
  readonly timers: LiveTimers;
  /** Unique per run, as events of an earlier run say nothing about this one. */
  readonly run: string;
}

export interface LiveTimers {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Calls back once after a delay. */
  readonly after: (ms: number, step: () => void) => void;
}

/** Several changes are sent together: a short time after the first one, and at intervals while changes go on. */
const soonMs = 150;
const restMs = 1000;
/** Proxies drop silent connections after a minute or so. */
const beatMs = 25_000;
/** A browser then reconnects, and is authenticated again. */
const longestMs = 30 * 60_000;
const retryMs = 3000;
const perViewer = 30;
const inAll = 3000;

interface Stream {
  readonly request: Request;
  readonly response: Response;
  readonly audience: Audience;
  readonly since: number;
}

/** The events sent to one viewer's pages since the start. Changes hidden from the viewer are not counted. */
interface Audience {
  readonly viewer: Viewer;
  events: number;
  /** The last event's number, by topic. */
  readonly sent: Map<Topic, number>;
}

/**
 * Notifies open pages of changes visible to their viewer; they fetch the content themselves. Between changes there is one timer
 * for all streams, which sends each a comment line; without streams there is none.
 */
export function createLive({ watch, directory, find, timers, run }: LiveDeps) {
  const streams = new Set<Stream>();
  const audiences = new Map<string, Audience>();
  /** Each kind of news is sent once. */
  const news = new Map<string, TopicNews>();
  let sentAt = Number.NEGATIVE_INFINITY;
  let isFollowing = false;
  let isDue = false;
  let isBeating = false;
  let isClosed = false;

  function note(one: TopicNews): void {
    news.set(JSON.stringify(one), one);
    if (isDue) return;
    isDue = true;
    timers.after(Math.max(soonMs, sentAt + restMs - timers.now()), send);
  }

  /** Ends the stream if its session has ended. */
  function push({ request, response, audience }: Stream, text: string): void {
    if (isClosed) return;
    if (isStill(request, audience.viewer)) response.write(text);
    else response.end();
  }

  function isStill(request: Request, asked: Viewer): boolean {
    try {
      const viewer = find(request);
      return viewer !== null && nameOf(viewer) === nameOf(asked);
    } catch {
      // A timer cannot report it; the browser reconnects, and gets the error.
      return false;
    }
  }

  function send(): void {
    if (isClosed) return;
    isDue = false;
    sentAt = timers.now();
    const concerned = new Map([...audiences.values()].map((one) => [one, topicsFor(one.viewer)]));
    news.clear();
    for (const [audience, changed] of concerned) {
      if (changed.length === 0) continue;
      audience.events += 1;
      for (const topic of changed) audience.sent.set(topic, audience.events);
    }
    for (const stream of streams) {
      const changed = concerned.get(stream.audience) ?? [];
      if (changed.length > 0) push(stream, changedEvent(stream.audience, changed));
    }
  }

  /** The news that a viewer may receive. */
  function topicsFor(viewer: Viewer): readonly Topic[] {
    try {
      const seen = [...news.values()].filter((one) => concerns(viewer, one));
      return [...new Set(seen.map(({ topic }) => topic))];
    } catch {
      // The database cannot be read, and neither can the page.
      return [];
    }
  }

  function concerns(viewer: Viewer, { people, collection }: TopicNews): boolean {
    if (viewer.kind === "admin") return true;
    const { person } = viewer;
    if (people && !people.includes(person)) return false;
    return collection === null || seesCollection(person, collection, directory);
  }

  const eventId = ({ events }: Audience): string => `${run}.${events}`;

  const changedEvent = (audience: Audience, changed: readonly Topic[]): string =>
    `id: ${eventId(audience)}\nevent: changed\ndata: ${JSON.stringify({ topics: changed })}\n\n`;

  function beat(): void {
    isBeating = false;
    const oldest = timers.now() - longestMs;
    for (const stream of streams) {
      if (stream.since < oldest) stream.response.end();
      else push(stream, ":\n\n");
    }
    keepBeating();
  }

  function keepBeating(): void {
    if (isBeating || streams.size === 0 || isClosed) return;
    isBeating = true;
    timers.after(beatMs, beat);
  }

  /** The changes since the last event of a page; everything if that event is unknown. */
  function missed({ sent }: Audience, last: string): readonly Topic[] {
    if (last === "") return [];
    const [of, number] = last.split(".");
    if (of !== run || number === undefined) return topics;
    return topics.filter((topic) => (sent.get(topic) ?? 0) > Number(number));
  }

  function audienceOf(viewer: Viewer): Audience {
    const name = nameOf(viewer);
    const audience = audiences.get(name) ?? { viewer, events: 0, sent: new Map() };
    audiences.set(name, audience);
    return audience;
  }

  const refusal = (audience: Audience): string | null => {
    if (isClosed) return say("live.stopping");
    const own = [...streams].filter((stream) => stream.audience === audience).length;
    return own >= perViewer || streams.size >= inAll ? say("live.tooMany") : null;
  };

  const handler: RequestHandler = (request, response) => {
    const viewer = find(request);
    if (!viewer) {
      sendProblem(response, {
        status: 401,
        title: "Unauthorized",
        detail: say("accessFault.logIn"),
      });
      return;
    }
    const audience = audienceOf(viewer);
    const detail = refusal(audience);
    if (detail !== null) {
      response.set("Retry-After", "60");
      sendProblem(response, { status: 503, title: "Not followed", detail });
      return;
    }
    if (!isFollowing) watch.follow(note);
    isFollowing = true;
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      // Prevents nginx from buffering events.
      "X-Accel-Buffering": "no",
    });
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    response.write(`retry: ${retryMs}\nid: ${eventId(audience)}\nevent: hello\ndata: {}\n\n`);
    const { since } = request.query;
    const last = request.get("last-event-id") ?? (typeof since === "string" ? since : "");
    const behind = missed(audience, last);
    if (behind.length > 0) response.write(changedEvent(audience, behind));
    const stream = { request, response, audience, since: timers.now() };
    streams.add(stream);
    response.on("close", () => streams.delete(stream));
    keepBeating();
  };

  return {
    /** `/live`: a stream of server-sent events. */
    handler,
    streams: (): number => streams.size,
    /** Ends all streams, and accepts no more. */
    close(): void {
      isClosed = true;
      for (const { response } of streams) response.end();
    },
  };
}

const nameOf = (viewer: Viewer): string =>
  viewer.kind === "admin" ? "admin" : `person ${viewer.person}`;

/** Timers that do not keep the process alive. */
export const processTimers = (now: () => number): LiveTimers => ({
  now,
  after: (ms, step) => void startTimer(ms, step, { holdsProcess: false }),
});
