import { stdin } from "node:process";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { Command, Option } from "commander";
import { type CommandTools, configFor, Failed } from "../command-host.ts";

interface McpOptions {
  readonly url?: string;
  readonly token?: string;
}

/**
 * `mcp`: an MCP server on standard input and output for programs that start one. It passes every message on to the daemon's MCP
 * server.
 */
export function mcpCommand({ host }: CommandTools): Command {
  function localServer(command: Command, { token }: McpOptions): Required<McpOptions> {
    const daemon = host.daemonOf(configFor(command, host));
    if (!daemon)
      throw new Failed("no daemon runs for this data directory; start `dayferry serve`", 1);
    return { url: `${daemon.url}/mcp`, token: token ?? daemon.adminToken };
  }
  return new Command("mcp")
    .description("an MCP server for agents, on standard input and output")
    .option("--url <url>", "the daemon's MCP server; by default that of this data directory")
    .addOption(
      new Option(
        "--token <token>",
        "an access token; by default the admin token of this data directory",
      ).env("DAYFERRY_TOKEN"),
    )
    .action(async (options: McpOptions, command: Command) => {
      const { url, token } = options.url === undefined ? localServer(command, options) : options;
      if (url === undefined || token === undefined) throw new Failed("--url needs --token", 2);
      const [{ StdioServerTransport }, { StreamableHTTPClientTransport }] = await Promise.all([
        import("@modelcontextprotocol/sdk/server/stdio.js"),
        import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
      ]);
      const agent = new StdioServerTransport();
      const daemon = new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
      });
      await relay(agent, daemon, host.signal);
    });
}

/** Passes messages on in both directions until the agent closes its side or the command is ended. */
async function relay(agent: Transport, daemon: Transport, signal: AbortSignal): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    stdin.once("end", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  daemon.onmessage = (message) => void agent.send(message);
  agent.onmessage = (message) => {
    daemon.send(message).catch((error: unknown) => {
      if (!("id" in message) || !("method" in message)) return;
      const text = error instanceof Error ? error.message : String(error);
      void agent.send({
        jsonrpc: "2.0",
        id: message.id,
        error: { code: serverError, message: text },
      });
    });
  };
  await daemon.start();
  await agent.start();
  await ended;
  await Promise.all([agent.close(), daemon.close()]);
}

/** Source: JSON-RPC 2.0, section 5.1 (errors of the server). */
const serverError = -32_000;
