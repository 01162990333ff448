import type { WorkspaceStore } from "../workspace-store.ts";
import { type SeedPeople, seedLabels, seedPeople } from "./account.ts";
import { seedClockChanges } from "./clock-changes.ts";
import { seedFiller } from "./filler.ts";
import { seedMobileApp } from "./mobile-app.ts";
import { Random } from "./random.ts";
import { SeedWriter } from "./seed-writer.ts";
import { countsBySize, type WorkspaceCounts, type WorkspaceSize } from "./sizes.ts";
import { seedTradeFair } from "./trade-fair.ts";
import { seedWebsite } from "./website.ts";

export interface SeedOptions {
  readonly seed: number;
  readonly size: WorkspaceSize;
  /** Overrides the counts of the size. */
  readonly counts?: Partial<WorkspaceCounts>;
  readonly timeZone: string;
  readonly clock: () => Temporal.Instant;
}

/** Fills a new store relative to the clock's today, atomically; a filled store stays as it is. */
export function seedWorkspace(store: WorkspaceStore, options: SeedOptions): void {
  if (store.isSeeded()) return;
  store.transaction(() => {
    const random = new Random(options.seed);
    const writer = new SeedWriter({
      store,
      random,
      now: options.clock(),
      timeZone: options.timeZone,
    });
    const people = seedPeople(writer, options.seed);
    if (options.size === "empty") seedPlaces(writer, people);
    else {
      const labels = seedLabels(writer);
      const website = seedWebsite(writer, { people, labels });
      seedTradeFair(writer, { people, labels });
      seedMobileApp(writer, { people, labels });
      seedClockChanges(writer, { project: website, createdBy: people.ana });
      const counts = { ...countsBySize[options.size], ...options.counts };
      seedFiller(writer, { counts, labels: Object.values(labels) });
    }
    store.markSeeded(options.seed);
  });
}

// The document has no endpoint that creates projects, task lists or folders, so even an empty workspace needs some.
function seedPlaces(writer: SeedWriter, people: SeedPeople): void {
  for (const title of ["Blank project", "Second project"]) {
    const { project } = writer.startProject([people.ana, people.ben, people.farid], {
      title,
      description: "",
      color: "#428bca",
      manager: people.ana,
      customFields: [
        writer.customField({ title: "Budget", description: "", type: "Currency", currency: "EUR" }),
        writer.customField({ title: "Go-live", description: "", type: "Date" }),
      ],
    });
    writer.list(project, "To do");
    writer.list(project, "Later");
  }
}
