import type { Command } from "commander";
import { createToken, listTokens, revokeToken } from "../../operations/token-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { commandGroup, operationCommand } from "../operation-command.ts";
import { listText, localTime } from "../terminal-text.ts";

/** `tokens`: access tokens of agents. */
export const tokensCommand = ({ host }: CommandTools): Command =>
  commandGroup("tokens", "access tokens of agents", [
    operationCommand(listTokens, host, {
      describe: (tokens, zone) =>
        listText(tokens, "There are no tokens.\n", {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          SCOPE: ({ scope }) => scope,
          CREATED: ({ createdAt }) => localTime(createdAt, zone),
          USED: ({ usedAt }) => localTime(usedAt, zone),
        }),
    }),
    operationCommand(createToken, host, {
      describe: ({ token, url, scope }) =>
        `Token (${scope}), shown this once: ${token}\nMCP server: ${url}\n`,
    }),
    operationCommand(revokeToken, host, { done: ({ id }) => `Token ${id} is revoked.` }),
  ]);
