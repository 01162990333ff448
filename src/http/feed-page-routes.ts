import { inTurns } from "@dayferry/event-loop";
import { type Request, type Response, Router } from "express";
import { type FeedId, feedId, isId } from "../domain/ids.ts";
import { directoryFor, type Viewer } from "../domain/visibility.ts";
import { readFeedWish } from "../feeds/feed-request.ts";
import { describeFeedChoice } from "../feeds/feed-words.ts";
import type { PublishedFeed } from "../feeds/published-feeds.ts";
import { createFeed, revokeFeed, rotateFeed } from "../operations/feed-operations.ts";
import type { Operation, OperationFailure, OperationModules } from "../operations/operation.ts";
import { operations } from "../operations/operations.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";
import { isConfirmed } from "./confirmed.ts";
import { formGuard } from "./form-guard.ts";
import { endFeedQuestion, rotateFeedQuestion } from "./pages/confirm-questions.ts";
import type { EnteredFeed, FeedChoices } from "./pages/feed-form.ts";
import type { ShownFeed } from "./pages/feed-pages.ts";
import { notFound, sendProblem } from "./problem-json.ts";
import { queryText } from "./request-query.ts";
import { rootOf, sendPage } from "./send-page.ts";
import type { Viewers } from "./viewer.ts";

export interface FeedPageDeps extends OperationModules {
  readonly viewers: Pick<Viewers, "find" | "viewerOf" | "formToken">;
}

/** Actions on a feed by verb, as in the buttons of its page. */
const actsOnFeeds: ReadonlyMap<string, Operation> = new Map(
  operations
    .filter(({ method, path }) => method !== "GET" && path.startsWith("/api/feeds/:id"))
    .map((operation) => [operation.name.split(" ")[1] ?? "", operation]),
);

/** Questions before destructive actions. */
const questions = new Map<Operation, typeof endFeedQuestion>([
  [revokeFeed, endFeedQuestion],
  [rotateFeed, rotateFeedQuestion],
]);

/** `/feeds` and `/feeds/ID`: people's own feeds; all of them for the admin. */
export function feedPageRoutes(deps: FeedPageDeps): Router {
  const { viewers, ...modules } = deps;
  const { store, feeds, baseUrl } = modules;
  const router = Router();
  const directoryOf = (viewer: Viewer) => directoryFor(store.directory, viewer);
  const shownTo =
    (viewer: Viewer) =>
    (feed: PublishedFeed): ShownFeed => ({
      ...feed,
      shows: describeFeedChoice(feed, directoryOf(viewer)),
    });

  async function list(
    { request, response, viewer }: Asked,
    about: { readonly entered?: EnteredFeed; readonly problems?: readonly string[] } = {},
  ): Promise<void> {
    // Rarely used pages are loaded on demand.
    const { feedsPage } = await import("./pages/feed-pages.ts");
    const { entered = new Map(), problems = [] } = about;
    sendPage(
      response,
      feedsPage({
        ...{ viewer, entered, problems },
        query: {
          find: queryText(request, "find") ?? "",
          from: countIn(queryText(request, "from")),
        },
        baseUrl: baseUrl(),
        feeds: feeds.list(viewer).map(shownTo(viewer)),
        ended: endedFeed(request, viewer),
        choices: choicesOf(directoryOf(viewer), viewer),
        formToken: viewers.formToken(request),
      }),
    );
  }

  async function one(
    { request, response, viewer }: Asked,
    feed: PublishedFeed,
    about: { readonly entered?: EnteredFeed; readonly problems?: readonly string[] } = {},
  ): Promise<void> {
    const { feedPage } = await import("./pages/feed-pages.ts");
    const { qrPicture } = await import("./pages/qr-picture.ts");
    const url = `${baseUrl()}${feed.path}`;
    const qr = await qrPicture(url, say("connect.qrAddress"));
    const { entered = null, problems = [] } = about;
    sendPage(
      response,
      feedPage({
        ...{ url, qr, viewer, entered, problems },
        feed: shownTo(viewer)(feed),
        choices: choicesOf(directoryOf(viewer), viewer),
        formToken: viewers.formToken(request),
      }),
    );
  }

  async function content({ response, viewer }: Asked, feed: PublishedFeed): Promise<void> {
    const { feedContentPage } = await import("./pages/feed-pages.ts");
    const steps = feeds.contentOf(feed.id, viewer);
    if (!steps) return missing(response);
    const found = await inTurns(steps, modules.eventLoop);
    sendPage(response, feedContentPage(shownTo(viewer)(feed), found, viewer.zone));
  }

  const askedBy = (request: Request, response: Response): Asked => {
    return { request, response, viewer: viewers.viewerOf(request) };
  };

  router.get("/feeds", async (request, response) => {
    await list(askedBy(request, response));
  });

  router.post("/feeds", ...formGuard(viewers), async (request, response) => {
    const by = askedBy(request, response);
    const { feedBodyOf } = await import("./pages/feed-form.ts");
    const entered = enteredIn(request.body);
    const made = await createFeed.run({ wish: feedBodyOf(entered) }, contextOf(by));
    if (made.ok) {
      const { id }: Pick<PublishedFeed, "id"> = Object(made.value.value);
      response.redirect(303, `${rootOf(request)}feeds/${id}`);
      return;
    }
    response.status(400);
    await list(by, { entered, problems: await problemsOf(made.failure) });
  });

  // For the form of a new feed, while it is filled in.
  router.post("/feeds/count", ...formGuard(viewers), async (request, response) => {
    const { viewer } = askedBy(request, response);
    const { feedBodyOf } = await import("./pages/feed-form.ts");
    const asking = { directory: directoryOf(viewer), viewer };
    const wish = readFeedWish(feedBodyOf(enteredIn(request.body)), asking);
    if (!wish.ok) return void response.json({ shown: null });
    const content = await inTurns(feeds.contentOfChoice(wish.value), modules.eventLoop);
    response.json({ shown: content.shown, isCut: content.isCut });
  });

  router.get("/feeds/:id", async (request, response) => {
    const by = askedBy(request, response);
    const feed = openFeed(request, by.viewer);
    if (!feed) missing(response);
    else if (queryText(request, "show") === "content") await content(by, feed);
    else await one(by, feed);
  });

  router.post(
    "/feeds/:id",
    ...formGuard(viewers),
    async (request: Request<{ id: string }>, response) => {
      const by = askedBy(request, response);
      const { viewer } = by;
      const entered = enteredIn(request.body);
      const act = entered.get("do")?.[0] ?? "";
      const operation = actsOnFeeds.get(act === "choose" ? "change" : act);
      const feed = openFeed(request, viewer);
      if (!operation) {
        if (!feed) return missing(response);
        response.status(400);
        await one(by, feed, { problems: [say("pageFault.nothingDone")] });
        return;
      }
      const asking = { zone: viewer.zone, back: `${rootOf(request)}feeds/${request.params.id}` };
      const question = questions.get(operation);
      if (feed && question && !isConfirmed(request, response, () => question(feed, asking))) return;
      const { id } = request.params;
      const input = { ...textsOf(entered), id, ...(feed && (await wanted(act, entered, feed))) };
      const outcome = await operation.run(input, contextOf(by));
      if (outcome.ok) {
        const end = operation === revokeFeed ? `feeds?ended=${id}` : `feeds/${id}`;
        response.redirect(303, `${rootOf(request)}${end}`);
      } else if (feed && outcome.failure.kind !== "missing") {
        response.status(400);
        const problems = await problemsOf(outcome.failure);
        await one(by, feed, act === "choose" ? { entered, problems } : { problems });
      } else missing(response);
    },
  );

  const contextOf = ({ viewer, request }: Asked) => ({
    ...modules,
    caller: { viewer, channel: "dashboard", program: request.get("user-agent") } as const,
  });

  function openFeed(request: Request<{ id: string }>, viewer: Viewer) {
    const id = feedIdOf(request.params.id);
    const feed = id && feeds.get(id, viewer);
    return feed && feed.revokedAt === null ? feed : null;
  }

  /** The feed that the viewer has just revoked, from the list's URL. */
  function endedFeed(request: Request, viewer: Viewer) {
    const id = feedIdOf(queryText(request, "ended"));
    const feed = id && feeds.get(id, viewer);
    return feed && feed.revokedAt !== null ? feed : null;
  }
  return router;
}

interface Asked {
  readonly request: Request;
  readonly response: Response;
  readonly viewer: Viewer;
}

const feedIdOf = (text: string | undefined): FeedId | null =>
  isId(Number(text)) ? feedId(Number(text)) : null;

const missing = (response: Response): void =>
  sendProblem(response, notFound("there is no such feed, or it has ended"));

const countIn = (text: string | undefined): number =>
  /^\d{1,6}$/.test(text ?? "") ? Number(text) : 0;

/** The change in a form. An unchanged automatic name stays automatic. */
async function wanted(
  act: string,
  entered: EnteredFeed,
  feed: PublishedFeed,
): Promise<{ readonly change?: Readonly<Record<string, unknown>> }> {
  if (act !== "change" && act !== "choose") return {};
  const { filterOf, nameAndColour } = await import("./pages/feed-form.ts");
  if (act === "choose") return { change: { filter: filterOf(entered) } };
  const { name, ...colour } = nameAndColour(entered);
  return { change: name === feed.name ? colour : { name, ...colour } };
}

const textsOf = (entered: EnteredFeed): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries([...entered].map(([name, [first]]) => [name, first]));

/** Each problem with the label of its field. */
async function problemsOf({ detail, more }: OperationFailure): Promise<readonly string[]> {
  const { labelled } = await import("./pages/feed-form.ts");
  const { errors = [] }: { readonly errors?: readonly Parameters<typeof labelled>[0][] } =
    Object(more);
  return errors.length > 0 ? errors.map(labelled) : [detail];
}

/** What this viewer may choose from. */
function choicesOf(directory: Store["directory"], viewer: Viewer): FeedChoices {
  return {
    projects: directory.projects().filter(({ archived }) => !archived),
    people: viewer.kind === "admin" ? directory.people().filter(({ suspended }) => !suspended) : [],
    labels: directory.labels(),
  };
}

/** The fields of a form's body; some are repeated. */
function enteredIn(body: unknown): EnteredFeed {
  const fields = Object.entries({ ...Object(body) });
  return new Map(
    fields.map(([name, value]) => [name, (Array.isArray(value) ? value : [value]).map(String)]),
  );
}
