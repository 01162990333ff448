import { createHash } from "node:crypto";
import { personId, projectId } from "../../../src/domain/ids.ts";
import { createAcceptItems } from "../../../src/edits/intake/accept.ts";
import {
  createSubscription,
  type SubscriptionDeps,
  type SubscriptionEvent,
  type SubscriptionOptions,
} from "../../../src/edits/subscription/subscription.ts";
import { anyAddress } from "../../../src/remote/address-guard.ts";
import { fetchCalendar } from "../../../src/remote/fetch-calendar.ts";
import { type CalendarServer, calendarServer } from "../../remote/server.ts";
import { untilHung } from "../../support/eventually.ts";
import { times } from "../../support/items.ts";
import { acceptRig, calendar, type RigSetting } from "../rig.ts";

/** An event as the workspace has it, and its time as a calendar writes it. */
export const review = { title: "Review", when: times("2026-11-23T10:00", "2026-11-23T11:00") };
export const at = (start: string, end: string) => [
  `DTSTART;TZID=Europe/Berlin:${start}`,
  `DTEND;TZID=Europe/Berlin:${end}`,
];
export const usual = at("20261123T100000", "20261123T110000");

const minutes = (count: number) => Temporal.Duration.from({ minutes: count });

/** A store and a subscribed remote calendar on loopback, whose contents the test sets. */
export async function subscriptionRig(
  setting: RigSetting & {
    readonly options?: Partial<SubscriptionOptions>;
    readonly deps?: Partial<SubscriptionDeps>;
  } = {},
) {
  const rig = acceptRig(setting);
  let body = "";
  const whole: CalendarServer["answer"] = (request, response) => {
    const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 8)}"`;
    if (request.headers["if-none-match"] === etag) response.writeHead(304).end();
    else response.writeHead(200, { "content-type": "text/calendar", etag }).end(body);
  };
  const server = await calendarServer(whole);
  const events: SubscriptionEvent[] = [];
  const open = (change: Partial<SubscriptionOptions> = {}) =>
    createSubscription({
      ...rig.deps,
      options: {
        name: "Ana's calendar",
        url: server.url,
        project: projectId(2001),
        person: personId(11),
        every: minutes(5),
        new: "ignore",
        gone: "ignore",
        ...setting.options,
        ...change,
      },
      acceptItems: createAcceptItems(rig.deps),
      fetch: (request) =>
        fetchCalendar(request, {
          allows: anyAddress,
          timeout: Temporal.Duration.from({ seconds: 5 }),
          most: 5_000_000,
        }),
      random: () => 0,
      known: () => true,
      onEvent: (event) => events.push(event),
      ...setting.deps,
    });
  let subscription = open();
  const step = () => subscription.step(untilHung());
  return {
    ...rig,
    server,
    events,
    state: () => subscription.state(),
    items: () => rig.store.subscriptions.items("Ana's calendar"),
    step,
    stepUntil: (signal: AbortSignal) => subscription.step(signal),
    /** The calendar shows these components from now on; it is read when it is due. */
    async shows(...components: readonly string[]) {
      body = calendar(...components);
      server.answer = whole;
      rig.clock.advance({ minutes: 61 });
      await step();
    },
    /** The same for a whole answer of any kind. */
    async answers(answer: string | CalendarServer["answer"]) {
      if (typeof answer === "string") body = answer;
      server.answer = typeof answer === "string" ? whole : answer;
      rig.clock.advance({ minutes: 61 });
      await step();
    },
    /** Reads the same contents once more. */
    async again() {
      rig.clock.advance({ minutes: 61 });
      await step();
    },
    restart(change: Partial<SubscriptionOptions> = {}) {
      subscription = open(change);
    },
    /** Action, and the fields with their new values, of each edit. */
    wishes: () =>
      rig
        .edits()
        .map(({ action, base, patch }) =>
          action === "create" ? `create ${patch.title}` : `${action} ${base.title}`,
        ),
  };
}
