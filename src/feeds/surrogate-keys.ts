import type { FeedId } from "../domain/ids.ts";

/** Names by which a shared cache drops what it has: of one feed, or of all. They tell no secret. */
interface SurrogateKeys {
  readonly feed: string;
  readonly all: string;
}

/** The installation stands in them, as several daemons may be behind one cache. */
export function surrogateKeys(installation: string, feed: FeedId): SurrogateKeys {
  const own = installation.replaceAll(/[^\w]/g, "-");
  return { feed: `${own}-feed-${feed}`, all: own };
}
