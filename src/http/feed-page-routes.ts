import { type Request, type Response, Router } from "express";
import { type FeedId, feedId, isId } from "../domain/ids.ts";
import { directoryFor, type Viewer } from "../domain/sight.ts";
import { readFeedChange, readFeedWish } from "../feeds/feed-request.ts";
import { describeFeedChoice } from "../feeds/feed-words.ts";
import type { PublishedFeed, PublishedFeeds } from "../feeds/published-feeds.ts";
import type { Store } from "../store/store.ts";
import { isConfirmed } from "./confirmed.ts";
import { formGuard } from "./form-guard.ts";
import { endFeedQuestion, rotateFeedQuestion } from "./pages/confirm-questions.ts";
import type { EnteredFeed, FeedChoices } from "./pages/feed-form.ts";
import type { ShownFeed } from "./pages/feed-pages.ts";
import { notFound, sendProblem } from "./problem-json.ts";
import { queryText } from "./request-query.ts";
import { rootOf, sendPage } from "./send-page.ts";
import type { Viewers } from "./viewer.ts";

export interface FeedPageDeps {
  readonly store: Pick<Store, "directory">;
  readonly feeds: PublishedFeeds;
  readonly viewers: Pick<Viewers, "find" | "viewerOf" | "formToken">;
  /** Address under which calendars reach this server, without a slash at the end. */
  readonly baseUrl: () => string;
}

/** `/feeds` and `/feeds/ID`: everybody's own feeds, and all of them for the admin. */
export function feedPageRoutes(deps: FeedPageDeps): Router {
  const { store, feeds, viewers, baseUrl } = deps;
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
    // Pages that are rarely opened are loaded when they are.
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
    const qr = await qrPicture(url, "Code of the address");
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

  const askedBy = (request: Request, response: Response): Asked => {
    return { request, response, viewer: viewers.viewerOf(request) };
  };

  router.get("/feeds", async (request, response) => {
    await list(askedBy(request, response));
  });

  router.post("/feeds", ...formGuard(viewers), async (request, response) => {
    const by = askedBy(request, response);
    const { feedBodyOf, labelled } = await import("./pages/feed-form.ts");
    const entered = enteredIn(request.body);
    const { viewer } = by;
    const wish = readFeedWish(feedBodyOf(entered), {
      directory: directoryOf(viewer),
      viewer,
    });
    if (wish.ok) {
      const { id } = feeds.create(wish.value);
      response.redirect(303, `${rootOf(request)}feeds/${id}`);
      return;
    }
    response.status(400);
    await list(by, { entered, problems: wish.failure.map(labelled) });
  });

  router.get("/feeds/:id", async (request, response) => {
    const by = askedBy(request, response);
    const feed = openFeed(request, by.viewer);
    if (feed) await one(by, feed);
    else missing(response);
  });

  router.post(
    "/feeds/:id",
    ...formGuard(viewers),
    async (request: Request<{ id: string }>, response) => {
      const by = askedBy(request, response);
      const { viewer } = by;
      const feed = openFeed(request, viewer);
      const entered = enteredIn(request.body);
      const act = entered.get("do")?.[0];
      if (act === "reopen") {
        const id = feedIdOf(request.params.id);
        const reopened = id && feeds.reopen(id, viewer);
        if (reopened) response.redirect(303, `${rootOf(request)}feeds/${reopened.id}`);
        else missing(response);
        return;
      }
      if (!feed) return missing(response);
      const asking = { zone: viewer.zone, back: `${rootOf(request)}feeds/${feed.id}` };
      if (act === "revoke") {
        if (!isConfirmed(request, response, () => endFeedQuestion(feed, asking))) return;
        feeds.revoke(feed.id, viewer);
        response.redirect(303, `${rootOf(request)}feeds?ended=${feed.id}`);
        return;
      }
      if (act === "rotate") {
        if (!isConfirmed(request, response, () => rotateFeedQuestion(feed, asking))) return;
        feeds.rotate(feed.id, viewer);
      } else if (act !== "change" && act !== "choose") {
        response.status(400);
        await one(by, feed, { problems: ["it was not said what is to be done"] });
        return;
      }
      if (act === "change" || act === "choose") {
        const { filterOf, labelled, nameAndColour } = await import("./pages/feed-form.ts");
        const wanted = act === "choose" ? { filter: filterOf(entered) } : nameAndColour(entered);
        const change = readFeedChange(withoutOwnName(wanted, feed), {
          feed,
          directory: directoryOf(viewer),
        });
        if (!change.ok) {
          response.status(400);
          const problems = change.failure.map(labelled);
          await one(by, feed, act === "choose" ? { entered, problems } : { problems });
          return;
        }
        feeds.change(feed.id, change.value, viewer);
      }
      response.redirect(303, `${rootOf(request)}feeds/${feed.id}`);
    },
  );

  function openFeed(request: Request<{ id: string }>, viewer: Viewer) {
    const id = feedIdOf(request.params.id);
    const feed = id && feeds.get(id, viewer);
    return feed && feed.revokedAt === null ? feed : null;
  }

  /** The feed that the viewer has just ended, as the address of the list says. */
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

/** A name that is left as it follows the feed's subject goes on following it. */
function withoutOwnName(
  wanted: Readonly<Record<string, unknown>>,
  feed: PublishedFeed,
): Readonly<Record<string, unknown>> {
  const { name, ...others } = wanted;
  return name === feed.name ? others : wanted;
}

/** What this viewer may choose from. */
function choicesOf(directory: Store["directory"], viewer: Viewer): FeedChoices {
  return {
    projects: directory.projects().filter(({ archived }) => !archived),
    people: viewer.kind === "admin" ? directory.people().filter(({ suspended }) => !suspended) : [],
    labels: directory.labels(),
  };
}

/** The fields of a form's body, of which some come several times. */
function enteredIn(body: unknown): EnteredFeed {
  const fields = Object.entries({ ...Object(body) });
  return new Map(
    fields.map(([name, value]) => [name, (Array.isArray(value) ? value : [value]).map(String)]),
  );
}
