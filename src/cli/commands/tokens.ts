import { Command } from "commander";
import { createToken, listTokens, revokeToken } from "../../operations/token-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { operationCommand } from "../operation-command.ts";
import { localTime, textTable } from "../terminal-text.ts";

interface ListedToken {
  readonly id: number;
  readonly name: string;
  readonly scope: string;
  readonly createdAt: string;
  readonly usedAt: string | null;
}

/** `tokens`: access tokens of agents. */
export function tokensCommand({ host }: CommandTools): Command {
  const tokens = new Command("tokens").description("access tokens of agents");
  tokens.addCommand(operationCommand(listTokens, { describe: describeTokens }, host));
  tokens.addCommand(operationCommand(createToken, { describe: describeNewToken }, host));
  return tokens.addCommand(
    operationCommand(revokeToken, { done: ({ id }) => `Token ${String(id)} is revoked.` }, host),
  );
}

function describeTokens(answer: unknown, zone: string): string {
  const tokens: readonly ListedToken[] = Object(answer);
  if (tokens.length === 0) return "There are no tokens.\n";
  const rows = tokens.map(({ id, name, scope, createdAt, usedAt }) => [
    String(id),
    name,
    scope,
    localTime(createdAt, zone),
    usedAt === null ? "-" : localTime(usedAt, zone),
  ]);
  return textTable(["ID", "NAME", "SCOPE", "CREATED", "USED"], rows);
}

function describeNewToken(answer: unknown): string {
  const { token, url, scope }: { token: string; url: string; scope: string } = Object(answer);
  return `Token (${scope}), shown this once: ${token}\nMCP server: ${url}\n`;
}
