import type { FeedOptions } from "../../src/feeds/window.ts";
import { zone } from "./items.ts";

/** The default options of feeds, with addresses of the service's pages. */
export function feedOptions(changes: Partial<FeedOptions> = {}): FeedOptions {
  return {
    zone,
    past: Temporal.Duration.from("P90D"),
    future: Temporal.Duration.from("P2Y"),
    completed: Temporal.Duration.from("P14D"),
    private: "omit",
    tasks: "due",
    customDates: false,
    assignees: true,
    webUrl: "https://work.example.com/#/{project}/{kind}/{id}",
    ...changes,
  };
}
