import { join } from "node:path";
import type { HeldTrouble } from "../../../src/domain/trouble.ts";
import type { Trouble } from "../../../src/domain/trouble-kinds.ts";
import type { Mailer } from "../../../src/mail/mail.ts";
import {
  createOperatorNotifier,
  type OperatorEvent,
  type OperatorWay,
} from "../../../src/reminders/operator/notify-operator.ts";
import { operatorWays } from "../../../src/reminders/operator/operator-ways.ts";
import type { Webhook } from "../../../src/remote/webhook.ts";
import type { Store } from "../../../src/store/store.ts";
import { createTroubleWatch } from "../../../src/troubles/trouble-watch.ts";
import { handClock, testDirectory, testStore } from "../../support/test-store.ts";

interface OperatorRigOptions {
  readonly mailer?: Mailer;
  readonly webhooks?: readonly (Webhook & { readonly name: string })[];
  /** Replaces mail and webhooks. */
  readonly ways?: readonly OperatorWay[];
  readonly again?: string;
  /** Comes before the store. */
  readonly around?: (store: Store) => Store;
}

const noMailer: Mailer = {
  send: () => Promise.reject(new Error("no mail is expected")),
  verify: () => Promise.resolve(null),
  close() {},
};

export const unreachable: Trouble = { kind: "service-unreachable", problem: "no answer" };
export const fullDisk: Trouble = {
  kind: "disk-nearly-full",
  folder: "/data",
  freeMebibytes: 490,
};

export const hook = (url: string, more: Partial<Webhook> = {}) => ({
  name: "phone",
  url,
  format: "json" as const,
  token: null,
  secret: null,
  ...more,
});

/** Messages to the operator over a real database; the test sets the clock and the troubles. */
export function anOperatorRig(options: OperatorRigOptions) {
  const clock = handClock("2026-11-24T08:00:00Z");
  const file = join(testDirectory(), "dayferry.sqlite");
  const state: { present: readonly Trouble[]; unstored: readonly HeldTrouble[] } = {
    present: [],
    unstored: [],
  };
  const events: OperatorEvent[] = [];
  let store = testStore(clock, file);
  const start = () => {
    const watch = createTroubleWatch({
      store,
      clock,
      find: () => ({ present: state.present, isUnsure: () => false }),
      onEvent() {},
    });
    const ways =
      options.ways ??
      operatorWays({
        language: "en",
        mail: options.mailer ? ["ops@example.com"] : [],
        webhooks: () => options.webhooks ?? [],
        mailer: options.mailer ?? noMailer,
        from: { name: "Dayferry", address: "dayferry@example.com" },
        clock,
        context: () => ({
          account: "company.example.com",
          installation: store.meta.installation,
          version: "1.0.0",
          zone: "Europe/Berlin",
          statusUrl: "https://calendar.example.com/status",
        }),
      });
    const messages = createOperatorNotifier({
      store: options.around?.(store) ?? store,
      ways,
      again: options.again === undefined ? null : Temporal.Duration.from(options.again),
      held: () => [...watch.held(), ...state.unstored],
      clock,
      random: () => 0,
      onEvent: (event) => events.push(event),
    });
    return { watch, messages };
  };
  let running = start();
  const step = (signal = new AbortController().signal) => {
    running.watch.look();
    return running.messages.step(signal);
  };
  return {
    clock,
    state,
    events,
    store: () => store,
    step,
    /** Like the daemon, with a look and a step each minute. */
    async pass(minutes: number) {
      for (let minute = 0; minute < minutes; minute++) {
        clock.advance({ minutes: 1 });
        await step();
      }
    },
    /** As after a crash: another process opens the same database. */
    restart: () => {
      store.close();
      store = testStore(clock, file);
      running = start();
    },
  };
}
