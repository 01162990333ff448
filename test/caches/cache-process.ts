import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type AddressInfo, createServer as createPlainServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { callHttp } from "../support/http-call.ts";

/** A port of this machine on which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createPlainServer();
  const port = await listen(server, 0);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** Resolves with the port. */
export function listen(
  server: ReturnType<typeof createPlainServer>,
  port: number,
): Promise<number> {
  return new Promise((resolve) =>
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
}

const examples = join(import.meta.dirname, "../../deploy/cache");

/** A real cache in front of a port, by the example of `deploy/`, with only its addresses and folders changed. */
export interface CacheProcess {
  readonly port: number;
  stop(): Promise<void>;
}

export async function varnish(originPort: number, listenOn?: number): Promise<CacheProcess> {
  const port = listenOn ?? (await freePort());
  const vcl = readFileSync(join(examples, "varnish.vcl"), "utf8");
  const folder = mkdtempSync(join(tmpdir(), "dayferry-varnish-"));
  const file = join(folder, "feeds.vcl");
  writeFileSync(file, vcl.replace('"8380"', `"${originPort}"`), { mode: 0o644 });
  const address = `127.0.0.1:${port}`;
  const args = ["-F", "-j", "none", "-n", join(folder, "run"), "-a", address, "-f", file];
  return startCache(
    ["varnishd", ...args, "-s", "malloc,64m", "-p", "http_gzip_support=off", "-T", "none"],
    { port, folder },
  );
}

export async function nginx(originPort: number): Promise<CacheProcess> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "dayferry-nginx-"));
  const site = readFileSync(join(examples, "nginx.conf"), "utf8")
    .replace("/var/cache/nginx/dayferry", join(folder, "cache"))
    .replace("127.0.0.1:8380", `127.0.0.1:${originPort}`)
    .replace("listen 80;", `listen 127.0.0.1:${port};`)
    .replace("  listen [::]:80;\n", "");
  const file = join(folder, "nginx.conf");
  const own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${join(folder, "pid")}; error_log stderr;
events {}
http { access_log off; ${own.join(" ")}
${site}
}
`,
  );
  return startCache(["nginx", "-c", file, "-p", folder], { port, folder });
}

async function startCache(
  [program = "", ...args]: readonly string[],
  { port, folder }: { readonly port: number; readonly folder: string },
): Promise<CacheProcess> {
  const child: ChildProcess = spawn(program, args, {
    env: { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      said += chunk;
    });
  }
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  await eventually(`${program} listens`, async () => {
    if (child.exitCode !== null) throw new Error(`${program} has ended: ${said}`);
    const answer = await callHttp(port, "GET /healthz").catch(() => null);
    return answer?.status === 200 ? answer : null;
  });
  return {
    port,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      // Its workers may end after it.
      await rm(folder, { recursive: true, force: true, maxRetries: 100, retryDelay: 2 });
    },
  };
}
