import type { Command } from "commander";
import {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  testWebhook,
} from "../../operations/webhook-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { commandGroup, operationCommand } from "../operation-command.ts";
import { listText, localTime } from "../terminal-text.ts";

/** `webhooks`: webhooks for events of the workspace. */
export const webhooksCommand = ({ host }: CommandTools): Command =>
  commandGroup("webhooks", "webhooks for events of the workspace", [
    operationCommand(listWebhooks, host, {
      describe: (webhooks) =>
        listText(webhooks, "There are no webhooks.\n", {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          HOST: ({ host: to }) => to,
          EVENTS: ({ events }) => events.join(" "),
          PROJECT: ({ project }) => project,
          PERSON: ({ person }) => person,
          "LAST MESSAGE": ({ last }) => last?.state ?? null,
        }),
    }),
    operationCommand(createWebhook, host, {
      describe: ({ id, secret }) =>
        `Webhook ${id} is created.\nSecret that signs its messages, shown this once: ${secret}\n`,
    }),
    operationCommand(deleteWebhook, host, {
      done: ({ webhook }) => `Webhook ${webhook} is deleted.`,
    }),
    operationCommand(listDeliveries, host, {
      describe: (deliveries, zone) =>
        listText(deliveries, "No messages were sent yet.\n", {
          AT: ({ claimedAt, settledAt }) => localTime(settledAt ?? claimedAt, zone),
          ABOUT: ({ about, subject }) => `${about} ${subject}`,
          STATE: ({ state }) => state,
          ATTEMPTS: ({ attempts }) => attempts,
          PROBLEM: ({ problem }) => problem,
        }),
    }),
    operationCommand(testWebhook, host, {
      describe: ({ delivered, problem }) =>
        delivered ? "The test message was accepted.\n" : `It was not accepted: ${problem}\n`,
    }),
  ]);
