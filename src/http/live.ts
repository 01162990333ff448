import type { Request, RequestHandler, Response } from "express";
import { seesCollection } from "../domain/sight.ts";
import { startTimer } from "../runtime.ts";
import type { Directory } from "../store/mirror/directory.ts";
import { type Topic, type TopicNews, type TopicWatch, topics } from "../store/topic-watch.ts";
import { sendProblem } from "./problem-json.ts";
import type { Viewer } from "./viewer.ts";

export interface LiveDeps {
  readonly watch: TopicWatch;
  /** Says whose eyes a project or a list is for. */
  readonly directory: Pick<Directory, "project" | "todolist">;
  /** Asked at the start of a stream and whenever it is about to say something: null once the log-in has ended. */
  readonly find: (request: Request) => Viewer | null;
  readonly timers: LiveTimers;
  /** Unlike that of any other run: what a page has heard of an earlier run says nothing of this one. */
  readonly run: string;
}

export interface LiveTimers {
  /** Milliseconds that never jump. */
  readonly now: () => number;
  /** Calls once, so much later. */
  readonly after: (ms: number, step: () => void) => void;
}

export interface Live {
  /** `/live`: a stream of server-sent events. */
  readonly handler: RequestHandler;
  /** Ends all streams, and takes no more. */
  close(): void;
  readonly streams: () => number;
}

/** Soon after the first of several changes, so that an edit is seen to settle, and not often while much changes. */
const soonMs = 150;
const restMs = 1000;
/** Proxies give a silent connection up after a minute or so. */
const beatMs = 25_000;
/** A browser that goes on asks anew, and is asked who it is. */
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

/** What the pages of one viewer were told in this run: a change that the viewer cannot see leaves no trace. */
interface Audience {
  readonly viewer: Viewer;
  events: number;
  /** By topic the number of the event that told of it last. */
  readonly told: Map<Topic, number>;
}

/**
 * Tells open pages that something has changed that their viewer may see; what it is they ask for themselves. Between changes
 * there is one timer for all streams, and a comment line to each when it ends; without streams there is none.
 */
export function createLive({ watch, directory, find, timers, run }: LiveDeps): Live {
  const streams = new Set<Stream>();
  const audiences = new Map<string, Audience>();
  /** Each kind of news once. */
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
    timers.after(Math.max(soonMs, sentAt + restMs - timers.now()), tell);
  }

  /** Ends the stream of somebody who has logged out since, or whose log-in was ended. */
  function say({ request, response, audience }: Stream, text: string): void {
    if (isClosed) return;
    if (isStill(request, audience.viewer)) response.write(text);
    else response.end();
  }

  function isStill(request: Request, asked: Viewer): boolean {
    try {
      const viewer = find(request);
      return viewer !== null && nameOf(viewer) === nameOf(asked);
    } catch {
      // A timer has nobody to tell; the browser asks anew, and is told what is wrong.
      return false;
    }
  }

  function tell(): void {
    isDue = false;
    sentAt = timers.now();
    const concerned = new Map([...audiences.values()].map((one) => [one, topicsFor(one.viewer)]));
    news.clear();
    for (const [audience, changed] of concerned) {
      if (changed.length === 0) continue;
      audience.events += 1;
      for (const topic of changed) audience.told.set(topic, audience.events);
    }
    for (const stream of streams) {
      const changed = concerned.get(stream.audience) ?? [];
      if (changed.length > 0) say(stream, changedEvent(stream.audience, changed));
    }
  }

  /** Of the news those that a viewer may know of. */
  function topicsFor(viewer: Viewer): readonly Topic[] {
    const seen = [...news.values()].filter((one) => concerns(viewer, one));
    return [...new Set(seen.map(({ topic }) => topic))];
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
      else say(stream, ":\n\n");
    }
    keepBeating();
  }

  function keepBeating(): void {
    if (isBeating || streams.size === 0 || isClosed) return;
    isBeating = true;
    timers.after(beatMs, beat);
  }

  /** What has changed since the event that a page heard last; everything where that is not known. */
  function missed({ told }: Audience, last: string): readonly Topic[] {
    if (last === "") return [];
    const [of, number] = last.split(".");
    if (of !== run || number === undefined) return topics;
    return topics.filter((topic) => (told.get(topic) ?? 0) > Number(number));
  }

  function audienceOf(viewer: Viewer): Audience {
    const name = nameOf(viewer);
    const audience = audiences.get(name) ?? { viewer, events: 0, told: new Map() };
    audiences.set(name, audience);
    return audience;
  }

  const refusal = (audience: Audience): string | null => {
    if (isClosed) return "Dayferry is being stopped";
    const own = [...streams].filter((stream) => stream.audience === audience).length;
    return own >= perViewer || streams.size >= inAll
      ? "too many pages follow changes at the same time; this one is up to date when it is loaded again"
      : null;
  };

  const handler: RequestHandler = (request, response) => {
    const viewer = find(request);
    if (!viewer) {
      sendProblem(response, { status: 401, title: "Unauthorized", detail: "log in first" });
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
      // nginx would keep events until a buffer is full.
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
    handler,
    streams: () => streams.size,
    close() {
      isClosed = true;
      for (const { response } of streams) response.end();
    },
  };
}

const nameOf = (viewer: Viewer): string =>
  viewer.kind === "admin" ? "admin" : `person ${viewer.person}`;

/** The timers of this process, which hold up no end. */
export const processTimers = (now: () => number): LiveTimers => ({
  now,
  after: (ms, step) => void startTimer(ms, step, { holdsProcess: false }),
});
