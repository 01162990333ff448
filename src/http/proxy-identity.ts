import type { Request } from "express";
import type { IdentityHeader } from "../config/config.ts";
import type { Log } from "../log.ts";
import { addressesOf } from "./trusted-proxies.ts";

/** Says whom the proxy in front has logged in. */
export interface ProxyIdentity {
  /** As the header says it; null without a header, and where it comes from somebody who is not the proxy. */
  of(request: Request): string | null;
  isAdmin(name: string): boolean;
  /** Where people end their log-in with the proxy; null = there is no such place. */
  readonly logout: string | null;
}

interface ProxyIdentityDeps {
  /** Null where no proxy says who people are. */
  readonly header: IdentityHeader | null;
  readonly log: Log;
}

/**
 * The header counts only from the proxy's own addresses, by the connection itself: what a request says of the way it has come
 * anybody could write. That somebody else sends it is told once.
 */
export function createProxyIdentity({ header, log }: ProxyIdentityDeps): ProxyIdentity {
  if (!header) return { of: () => null, isAdmin: () => false, logout: null };
  const { name, from, logout } = header;
  const isProxy = addressesOf(from);
  const admins = new Set(header.admins.map(spelled));
  let hasTold = false;
  return {
    of({ headers, socket }) {
      const value = headers[name];
      if (value === undefined) return null;
      const peer = socket.remoteAddress ?? "";
      if (isProxy(peer)) {
        const said = typeof value === "string" ? value.trim() : "";
        return said === "" ? null : said;
      }
      if (!hasTold) {
        hasTold = true;
        const remedy = "if this is the proxy, add its address to http.identityHeader.from";
        log.warn("the identity header is ignored", { header: name, address: peer, remedy });
      }
      return null;
    },
    isAdmin: (said) => admins.has(spelled(said)),
    logout,
  };
}

const spelled = (name: string): string => name.normalize("NFC").trim().toLowerCase();
