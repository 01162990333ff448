import type { FeedId } from "../domain/ids.ts";

/** Names by which a shared cache purges: one feed, or all. They reveal no secret. */
interface SurrogateKeys {
  readonly feed: string;
  readonly all: string;
}

/** They include the installation, as several daemons may share a cache. */
export function surrogateKeys(installation: string, feed: FeedId): SurrogateKeys {
  const own = installation.replaceAll(/[^\w]/g, "-");
  return { feed: `${own}-feed-${feed}`, all: own };
}
