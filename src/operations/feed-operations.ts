import { z } from "zod";
import { feedKinds, privateModes } from "../domain/feed-filter.ts";
import { feedId } from "../domain/ids.ts";
import { fail, ok } from "../domain/result.ts";
import { directoryFor } from "../domain/visibility.ts";
import {
  describeFeedProblems,
  type FeedProblem,
  readFeedChange,
  readFeedWish,
} from "../feeds/feed-request.ts";
import { asListed, type PublishedFeed } from "../feeds/published-feeds.ts";
import { say } from "../texts/say.ts";
import { feedAnswer } from "./answers.ts";
import {
  anyJson,
  type Caller,
  foundOr,
  missing,
  type OperationFailure,
  type OperationModules,
  operation,
  pathId,
} from "./operation.ts";

const id = pathId("feed", feedId);

/** A feed as it is requested, for programs. `readFeedWish` says what is wrong with one. */
const feedInput = z
  .object({
    kind: z.enum(feedKinds),
    projectId: z.int(),
    personId: z.int(),
    name: z.string().nullable(),
    colour: z.string().nullable(),
    filter: z
      .object({
        kinds: z.array(z.enum(["event", "milestone", "task", "subtask"])),
        labels: z.array(z.union([z.string(), z.int()])).describe("names or ids"),
        assigned: z.union([z.enum(["me", "anyone"]), z.array(z.int())]),
        projects: z.array(z.int()),
        completed: z.string().describe('"none", or how long it stays: "P14D"'),
        private: z.enum(privateModes),
        reminders: z.boolean(),
      })
      .partial()
      .nullable(),
  })
  .partial();

export const listFeeds = operation({
  name: "feeds list",
  answer: z.array(feedAnswer),
  summary: "every feed",
  route: "GET /api/feeds",
  access: "person",
  member: "feeds",
  input: {},
  run: (_, context) => ok(context.feeds.list(context.caller.viewer).map(listedFor(context))),
});

export const createFeed = operation({
  name: "feeds create",
  answer: feedAnswer,
  summary: "create a feed of a project, a person or everything, with its own address",
  note: 'For example `{"kind": "person", "personId": 11, "filter": {"kinds": ["task"]}}`; operating.md has all keys.',
  route: "POST /api/feeds",
  access: "person",
  body: { member: "wish", type: "json" },
  input: { wish: anyJson(feedInput) },
  status: () => 201,
  run({ wish }, context) {
    const { viewer } = context.caller;
    const read = readFeedWish(wish, { directory: directoryOf(context), viewer });
    return read.ok
      ? ok(listedFor(context)(context.feeds.create(read.value)))
      : fail(wrongFeed(read.failure));
  },
});

export const changeFeed = operation({
  name: "feeds change",
  answer: feedAnswer,
  summary: "change a feed's name, color or filters; its address stays",
  route: "PATCH /api/feeds/:id",
  access: "person",
  body: { member: "change", type: "json" },
  input: { id, change: anyJson(feedInput.pick({ name: true, filter: true, colour: true })) },
  run({ id, change }, context) {
    const { feeds, caller } = context;
    const feed = feeds.get(id, caller.viewer);
    if (!feed || feed.revokedAt !== null) return missing(noOpenFeed(id));
    const read = readFeedChange(change, feed, directoryOf(context));
    if (!read.ok) return fail(wrongFeed(read.failure));
    const changed = feeds.change(id, read.value, caller.viewer);
    return foundOr(changed && listedFor(context)(changed), noOpenFeed(id));
  },
});

export const rotateFeed = operation({
  name: "feeds rotate",
  answer: feedAnswer,
  summary: "give a feed a new address; the old one stops working",
  route: "POST /api/feeds/:id/rotate",
  access: "person",
  input: { id },
  run({ id }, context) {
    const feed = context.feeds.rotate(id, context.caller.viewer);
    return foundOr(feed && listedFor(context)(feed), noOpenFeed(id));
  },
});

export const revokeFeed = operation({
  name: "feeds revoke",
  answer: z.null(),
  summary: "end a feed; `feeds reopen` undoes it",
  route: "DELETE /api/feeds/:id",
  access: "person",
  input: { id },
  run: ({ id }, { feeds, caller }) =>
    feeds.revoke(id, caller.viewer) ? ok(null) : missing(noOpenFeed(id)),
});

export const reopenFeed = operation({
  name: "feeds reopen",
  answer: feedAnswer,
  summary: "reopen an ended feed with its address",
  route: "POST /api/feeds/:id/reopen",
  access: "person",
  input: { id },
  run({ id }, context) {
    const feed = context.feeds.reopen(id, context.caller.viewer);
    return foundOr(
      feed && listedFor(context)(feed),
      say("operationFault.noEndedFeed", { id: String(id) }),
    );
  },
});

type Context = OperationModules & { readonly caller: Caller };

const directoryOf = ({ store, caller }: Context) => directoryFor(store.directory, caller.viewer);

const listedFor = (context: Context) => {
  const about = { directory: directoryOf(context), publicUrl: context.baseUrl() };
  return (feed: PublishedFeed) => asListed(feed, about);
};

const noOpenFeed = (feed: number): string => say("operationFault.noFeed", { id: String(feed) });

/** Every invalid member; "missing" if the only problem is that something does not exist. */
function wrongFeed(problems: readonly FeedProblem[]): OperationFailure {
  const errors = problems.map(({ field, message }) => ({ field, message }));
  const isMissing = problems.every(({ isUnknown }) => isUnknown);
  return {
    kind: isMissing ? "missing" : "invalid",
    detail: describeFeedProblems(problems),
    more: { errors },
  };
}
