import { z } from "zod";
import { type HookEvent, hookEvents } from "../domain/hook-event.ts";
import { personId, projectId } from "../domain/ids.ts";
import { fail, ok } from "../domain/result.ts";
import { directoryFor } from "../domain/visibility.ts";
import type { EventWebhooks } from "../people/event-webhooks.ts";
import { say } from "../texts/say.ts";
import { deliveryAnswer, newWebhookAnswer, testAnswer, webhookAnswer } from "./answers.ts";
import {
  anId,
  aText,
  aValue,
  type Caller,
  callerPerson,
  invalid,
  missing,
  type OperationModules,
  type Outcome,
  operation,
  quoted,
} from "./operation.ts";

const webhook = aText("its id, or its name in the configuration");
/** Deliveries that are listed. */
const mostDeliveries = 100;

export const listWebhooks = operation({
  name: "webhooks list",
  answer: z.array(webhookAnswer),
  summary: "list webhooks for events",
  route: "GET /api/webhooks",
  access: "person",
  member: "webhooks",
  input: {},
  run: (_, context) => ok(withHooks(context, ({ hooks, owner }) => hooks.list(owner)) ?? []),
});

const events = aValue(
  `which events are sent: ${hookEvents.join(", ")}. Default: all`,
  z
    .union([z.array(z.string()), z.string().transform((text) => text.split(/[\s,]+/))])
    .transform((names, context): readonly HookEvent[] => {
      const unknown = names.find((name) => !hookEvents.some((event) => event === name));
      const choices = hookEvents.join(", ");
      if (unknown !== undefined) {
        context.addIssue(say("hookFault.event", { event: quoted(unknown), choices }));
      }
      if (names.length === 0) context.addIssue(say("hookFault.noEvents", { choices }));
      return hookEvents.filter((event) => names.includes(event));
    }),
  { type: "array", items: { type: "string", enum: hookEvents }, minItems: 1 },
);

export const createWebhook = operation({
  name: "webhooks create",
  answer: newWebhookAnswer,
  summary: "create a webhook that receives events of the workspace",
  note: "For a person: what is assigned to them, and their own edits. The secret signs each message, and is shown only once.",
  route: "POST /api/webhooks",
  access: "person",
  status: () => 201,
  input: {
    url: aText("where messages are posted"),
    name: aText("what it is for").optional(),
    events: events.optional(),
    project: anId("only of this project", projectId).nullable().optional(),
    person: anId("only what concerns this person, for the admin", personId).nullable().optional(),
    secret: aText("signs the messages. Default: a new one").optional(),
  },
  run: ({ url, name = "", project = null, person = null, secret = null, ...wish }, context) =>
    withHooks(context, ({ hooks, owner }) => {
      if (owner !== null && person !== null && person !== owner) {
        return missing(say("operationFault.noPerson", { id: String(person) }));
      }
      const { directory } = context.store;
      const seen = directoryFor(directory, context.caller.viewer).projects();
      if (person !== null && !directory.activePerson(person)) {
        return missing(say("operationFault.noPerson", { id: String(person) }));
      }
      if (project !== null && !seen.some(({ id }) => id === project)) {
        return missing(say("operationFault.noProject", { id: String(project) }));
      }
      const { events: chosen = hookEvents } = wish;
      const made = hooks.create({ url, name, events: chosen, project, person, secret }, owner);
      return made.ok
        ? ok({ ...made.value.hook, url, secret: made.value.secret })
        : invalid(made.failure);
    }) ?? nothingSent(),
});

export const deleteWebhook = operation({
  name: "webhooks delete",
  answer: z.null(),
  summary: "delete a webhook for events, with its pending messages",
  route: "DELETE /api/webhooks/:webhook",
  access: "person",
  input: { webhook },
  run: ({ webhook: id }, context) =>
    withHooks(context, ({ hooks, owner }) => {
      const removed = hooks.remove(id, owner);
      if (removed === "unknown") return unknown(id);
      const detail = say("hookFault.configured", { id });
      return removed === "listed" ? fail({ kind: "conflict", detail }) : ok(null);
    }) ?? nothingSent(),
});

export const listDeliveries = operation({
  name: "webhooks deliveries",
  answer: z.array(deliveryAnswer),
  summary: "list the last messages to a webhook, newest first",
  note: `At most ${mostDeliveries}.`,
  route: "GET /api/webhooks/:webhook/deliveries",
  access: "person",
  member: "deliveries",
  input: { webhook },
  run: ({ webhook: id }, context) =>
    withHooks(context, ({ hooks, owner }) => {
      const found = hooks.deliveries(id, { owner, limit: mostDeliveries });
      return found ? ok(found) : unknown(id);
    }) ?? nothingSent(),
});

export const testWebhook = operation({
  name: "webhooks test",
  answer: testAnswer,
  summary: "send a test message to a webhook",
  route: "POST /api/webhooks/:webhook/test",
  access: "person",
  isSlow: true,
  input: { webhook },
  async run({ webhook: id }, context) {
    const { signal = new AbortController().signal } = context.caller;
    const posted = await withHooks(context, ({ hooks, owner }) =>
      hooks.test(id, { owner, signal }),
    );
    if (!posted) return unknown(id);
    const isSent = posted.kind === "sent";
    return ok({ delivered: isSent, problem: isSent ? null : posted.message });
  },
});

const unknown = (id: string) => missing(say("hookFault.none", { id }));
const nothingSent = (): Outcome => fail({ kind: "conflict", detail: say("hookFault.nothingSent") });

/** Works with the caller's webhooks, or all for the admin; null where nothing is sent. */
function withHooks<Value>(
  { eventWebhooks, caller }: Pick<OperationModules, "eventWebhooks"> & { readonly caller: Caller },
  work: (about: {
    readonly hooks: EventWebhooks;
    readonly owner: ReturnType<typeof callerPerson>;
  }) => Value,
): Value | null {
  return eventWebhooks ? work({ hooks: eventWebhooks, owner: callerPerson(caller) }) : null;
}
