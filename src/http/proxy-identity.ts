import type { Request } from "express";
import type { IdentityHeader } from "../config/config.ts";
import type { Log } from "../log.ts";
import { addressesOf } from "./trusted-proxies.ts";

/** The user authenticated by the proxy in front. */
export interface ProxyIdentity {
  /** The name in the header; null without the header, or if the sender is not the proxy. */
  of(request: Request): string | null;
  isAdmin(name: string): boolean;
  /** URL for signing out of the proxy; null if there is none. */
  readonly logout: string | null;
}

interface ProxyIdentityDeps {
  /** Null if no proxy names users. */
  readonly header: IdentityHeader | null;
  readonly log: Log;
}

/**
 * The header is trusted only if the connection itself comes from an address of the proxy, because anyone can write forwarding
 * headers. If someone else sends it, that is logged once.
 */
export function createProxyIdentity({ header, log }: ProxyIdentityDeps): ProxyIdentity {
  if (!header) return { of: () => null, isAdmin: () => false, logout: null };
  const { name, from, logout } = header;
  const isProxy = addressesOf(from);
  const admins = new Set(header.admins.map(spelled));
  let hasLogged = false;
  return {
    of({ headers, socket }) {
      const value = headers[name];
      if (value === undefined) return null;
      const peer = socket.remoteAddress ?? "";
      if (isProxy(peer)) {
        const said = typeof value === "string" ? value.trim() : "";
        return said === "" ? null : said;
      }
      if (!hasLogged) {
        hasLogged = true;
        const remedy = "if this is the proxy, add its address to http.identityHeader.from";
        log.warn("identity header ignored", { header: name, address: peer, remedy });
      }
      return null;
    },
    isAdmin: (said) => admins.has(spelled(said)),
    logout,
  };
}

const spelled = (name: string): string => name.normalize("NFC").trim().toLowerCase();
