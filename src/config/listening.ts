import type { Server } from "node:http";
import { fail, messageOf, ok, type Result } from "../domain/result.ts";
import { type Address, listen } from "../runtime.ts";

/**
 * The address to open in a browser on this machine, without a slash at the end. The wildcards (`0.0.0.0`, `::`, however
 * they are spelt) mean every address of the machine and are none that can be opened: they become the loopback address.
 */
export function openableUrl({ host, port }: Address): string {
  const written = host.includes(":") ? `[${host}]` : host;
  const known = URL.parse(`http://${written}`)?.hostname ?? written;
  return `http://${loopbackOf.get(known) ?? known}:${port}`;
}

/**
 * Why a server cannot listen, in one sentence with what helps; null when the error is about something else. `change` says
 * how another port is named. Source: listen(2).
 */
export function listenFault(
  error: unknown,
  { host, port, change }: Address & { readonly change: string },
): string | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} of ${host} is taken: another program, or another Dayferry, listens there; stop it, or choose another port with ${change}`;
    case "EACCES":
      return `port ${port} of ${host} is not for this user to listen on (ports below 1024 are the system's): choose another with ${change}`;
    case "EADDRNOTAVAIL":
      return `this machine has no address ${host} to listen on: use 127.0.0.1, or 0.0.0.0 for all that it has`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `"${host}" is no address and no name that this machine knows: use 127.0.0.1, or 0.0.0.0 for all that it has`;
    default:
      return null;
  }
}

/** Listens where the configuration says: the port, or why it cannot, in a sentence. */
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
