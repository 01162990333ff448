import { inTurns } from "@dayferry/event-loop";
import { type Request, type Response, Router } from "express";
import { type FeedId, feedId, isId } from "../domain/ids.ts";
import { directoryFor, type Viewer } from "../domain/visibility.ts";
import { readFeedWish } from "../feeds/feed-request.ts";
import { describeFeedChoice } from "../feeds/feed-words.ts";
import type { PublishedFeed } from "../feeds/published-feeds.ts";
import { createFeed, revokeFeed, rotateFeed } from "../operations/feed-operations.ts";
import type { Operation, OperationFailure } from "../operations/operation.ts";
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
import { redirectTo, sendPage } from "./send-page.ts";
import { frameOf } from "./viewer.ts";
import type { WebContext } from "./web-context.ts";

/** Actions on a feed, by the verb in the URL of each button of its page. */
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
export function feedPageRoutes(context: WebContext): Router {
  const { viewers, store, feeds, baseUrl, eventLoop } = context;
  const router = Router();
  const directoryOf = (viewer: Viewer) => directoryFor(store.directory, viewer);
  const shownTo =
    (viewer: Viewer) =>
    (feed: PublishedFeed): ShownFeed => ({
      ...feed,
      shows: describeFeedChoice(feed, directoryOf(viewer)),
    });

  const commonFor = ({ req }: Response) => {
    const viewer = viewers.viewerOf(req);
    const choices = choicesOf(directoryOf(viewer), viewer);
    return { viewer, choices, formToken: viewers.formToken(req), problems: [] };
  };

  async function sendList(response: Response, entered: Entered = {}): Promise<void> {
    // Rarely used pages are loaded on demand.
    const { feedsPage } = await import("./pages/feed-pages.ts");
    const { req } = response;
    const common = commonFor(response);
    const { viewer } = common;
    const page = feedsPage({
      ...common,
      entered: new Map(),
      ...entered,
      query: { find: queryText(req, "find") ?? "", from: countIn(queryText(req, "from")) },
      baseUrl: baseUrl(),
      feeds: feeds.list(viewer).map(shownTo(viewer)),
      ended: endedFeed(req, viewer),
    });
    sendPage(response, page);
  }

  async function sendFeed(
    response: Response,
    feed: PublishedFeed,
    entered: Entered = {},
  ): Promise<void> {
    const { feedPage } = await import("./pages/feed-pages.ts");
    const { qrPicture } = await import("./pages/qr-picture.ts");
    const url = `${baseUrl()}${feed.path}`;
    const qr = await qrPicture(url, say("connect.qrAddress"));
    const common = commonFor(response);
    const shown = { url, qr, feed: shownTo(common.viewer)(feed) };
    sendPage(response, feedPage({ ...common, ...shown, entered: null, ...entered }));
  }

  async function sendContent(response: Response, feed: PublishedFeed): Promise<void> {
    const { feedContentPage } = await import("./pages/feed-pages.ts");
    const viewer = viewers.viewerOf(response.req);
    const steps = feeds.contentOf(feed.id, viewer);
    if (!steps) return missing(response);
    const found = await inTurns(steps, eventLoop);
    sendPage(response, feedContentPage(shownTo(viewer)(feed), found, viewer.zone));
  }

  router.get("/feeds", (_request, response) => sendList(response));

  router.post("/feeds", ...formGuard(viewers), async (request, response) => {
    const { feedBodyOf } = await import("./pages/feed-form.ts");
    const entered = enteredIn(request.body);
    const made = await createFeed.run({ wish: feedBodyOf(entered) }, contextOf(request));
    if (made.ok) {
      const { id }: Pick<PublishedFeed, "id"> = Object(made.value.value);
      return redirectTo(response, `feeds/${id}`);
    }
    const problems = await problemsOf(made.failure);
    await sendList(response.status(400), { entered, problems });
  });

  // Shows the contents of a new feed while its form is filled in.
  router.post("/feeds/count", ...formGuard(viewers), async (request, response) => {
    const viewer = viewers.viewerOf(request);
    const { feedBodyOf } = await import("./pages/feed-form.ts");
    const asking = { directory: directoryOf(viewer), viewer };
    const wish = readFeedWish(feedBodyOf(enteredIn(request.body)), asking);
    if (!wish.ok) return void response.json({ shown: null });
    const content = await inTurns(feeds.contentOfChoice(wish.value), eventLoop);
    response.json({ shown: content.shown, isCut: content.isCut });
  });

  router.get("/feeds/:id", async (request, response) => {
    const feed = openFeed(request);
    if (!feed) missing(response);
    else if (queryText(request, "show") === "content") await sendContent(response, feed);
    else await sendFeed(response, feed);
  });

  router.post(
    "/feeds/:id",
    ...formGuard(viewers),
    async (request: Request<{ id: string }>, response) => {
      const entered = enteredIn(request.body);
      const act = entered.get("do")?.[0] ?? "";
      const operation = actsOnFeeds.get(act === "choose" ? "change" : act);
      const feed = openFeed(request);
      if (!operation) {
        if (!feed) return missing(response);
        return sendFeed(response.status(400), feed, { problems: [say("pageFault.nothingDone")] });
      }
      const { root, zone } = frameOf(response, viewers);
      const asking = { zone, back: `${root}feeds/${request.params.id}` };
      const question = questions.get(operation);
      if (feed && question && !isConfirmed(response, () => question(feed, asking))) return;
      const { id } = request.params;
      const input = { ...textsOf(entered), id, ...(feed && (await wanted(act, entered, feed))) };
      const outcome = await operation.run(input, contextOf(request));
      if (outcome.ok) {
        redirectTo(response, operation === revokeFeed ? `feeds?ended=${id}` : `feeds/${id}`);
      } else if (feed && outcome.failure.kind !== "missing") {
        const problems = await problemsOf(outcome.failure);
        const kept = act === "choose" ? { entered, problems } : { problems };
        await sendFeed(response.status(400), feed, kept);
      } else missing(response);
    },
  );

  const contextOf = (request: Request) => ({
    ...context,
    caller: {
      viewer: viewers.viewerOf(request),
      channel: "dashboard",
      program: request.get("user-agent"),
    } as const,
  });

  function openFeed(request: Request<{ id: string }>) {
    const id = feedIdOf(request.params.id);
    const feed = id && feeds.get(id, viewers.viewerOf(request));
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

/** A rejected form, and why. */
interface Entered {
  readonly entered?: EnteredFeed;
  readonly problems?: readonly string[];
}

const feedIdOf = (text: string | undefined): FeedId | null =>
  isId(Number(text)) ? feedId(Number(text)) : null;

const missing = (response: Response): void =>
  sendProblem(response, notFound(say("feedGone.ended")));

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
