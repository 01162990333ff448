import { promisify } from "node:util";
import { json, type Request, type Response, Router } from "express";
import type { Caller } from "../operations/operation.ts";
import { operations } from "../operations/operations.ts";
import { say } from "../texts/say.ts";
import { forbidden, sendProblem } from "./problem-json.ts";
import type { WebContext } from "./web-context.ts";

/** Size limit: a file of edits with its characters escaped. */
const largestMessage = 12_000_000;

/**
 * The MCP server, by Streamable HTTP without sessions: each POST is answered with JSON. It takes a token of a person, an app
 * password, which proposes, or the admin token, which proposes too. Source: Model Context Protocol 2025-06-18, transports.
 */
export function mcpRoutes(context: WebContext): Router {
  const { viewers, version } = context;
  const router = Router();

  router.post("/mcp", async (request, response) => {
    if (!isOwnOrigin(request, context.baseUrl())) {
      sendProblem(response, forbidden(say("accessFault.otherSite")));
      return;
    }
    await readMessage(request, response);
    await answer(request, response);
  });

  async function answer(request: Request, response: Response): Promise<void> {
    const [{ createMcpServer }, { StreamableHTTPServerTransport }] = await Promise.all([
      import("../operations/mcp.ts"),
      import("@modelcontextprotocol/sdk/server/streamableHttp.js"),
    ]);
    const [viewer, scope] = [viewers.viewerOf(request), viewers.scopeOf(request)];
    const program = request.get("user-agent");
    const caller: Caller = { viewer, channel: "upload", program, proposes: scope !== "edit" };
    const server = await createMcpServer(
      operations.filter((one) => one.isOffered(context)),
      {
        version,
        caller: {
          scope,
          isAdmin: viewer.kind === "admin",
          async run(operation, input) {
            const outcome = await operation.run(input, { ...context, caller });
            return outcome.ok ? { ok: true, value: outcome.value.value } : outcome;
          },
        },
      },
    );
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    response.once("close", () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response, request.body);
  }

  return router;
}

/**
 * True unless a page of another site sends the request. Also refuses sites whose DNS names point at this server. Source: MCP,
 * transports, security warning.
 */
function isOwnOrigin({ headers: { origin } }: Request, publicUrl: string): boolean {
  if (origin === undefined) return true;
  const from = URL.parse(origin);
  if (!from) return false;
  const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(from.hostname);
  return isLocal || from.host === new URL(publicUrl).host;
}

const readMessage = promisify(json({ limit: largestMessage }));
