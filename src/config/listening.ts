import type { Server } from "node:http";
import { fail, messageOf, ok, type Result } from "../domain/result.ts";
import { type Address, listen } from "../runtime.ts";

/**
 * The URL to open on this machine, without a trailing slash. Wildcard addresses (`0.0.0.0`, `::`, in any notation) cannot be
 * opened and become the loopback address.
 */
export function openableUrl({ host, port }: Address): string {
  const written = host.includes(":") ? `[${host}]` : host;
  const known = URL.parse(`http://${written}`)?.hostname ?? written;
  return `http://${loopbackOf.get(known) ?? known}:${port}`;
}

/**
 * Why a server cannot listen, in one sentence with what helps; null for other errors. `change` says how to choose another port.
 * Source: listen(2).
 */
export function listenFault(
  error: unknown,
  { host, port, change }: Address & { readonly change: string },
): string | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} of ${host} is in use by another program or another Dayferry; stop it, or choose another port with ${change}`;
    case "EACCES":
      return `port ${port} of ${host} is not permitted for this user (ports below 1024 are reserved): choose another with ${change}`;
    case "EADDRNOTAVAIL":
      return `this machine has no address ${host}: use 127.0.0.1, or 0.0.0.0 for all addresses`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `"${host}" is not an address or known host name: use 127.0.0.1, or 0.0.0.0 for all addresses`;
    default:
      return null;
  }
}

/** Listens as configured: the port, or a sentence with the reason. */
export async function listenAsConfigured(
  server: Server,
  place: Address,
): Promise<Result<number, string>> {
  try {
    return ok(await listen(server, place));
  } catch (error) {
    const change = "http.host and http.port, or DAYFERRY_HOST and DAYFERRY_PORT";
    return fail(listenFault(error, { ...place, change }) ?? messageOf(error));
  }
}

const loopbackOf: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["[::]", "[::1]"],
  ["[::ffff:0:0]", "127.0.0.1"],
]);
