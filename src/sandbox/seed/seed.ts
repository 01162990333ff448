import type { Store } from "../workspace-store.ts";
import { seedClockChanges } from "./clock-changes.ts";
import { seedFiller } from "./filler.ts";
import { seedMobileApp } from "./mobile-app.ts";
import { Random } from "./random.ts";
import { type SeedPeople, seedPeople } from "./seed-people.ts";
import { SeedWriter } from "./seed-writer.ts";
import { countsBySize, type WorkspaceSize } from "./sizes.ts";
import { seedTradeFair } from "./trade-fair.ts";
import { type SeedLabels, seedWebsite } from "./website.ts";

export interface SeedOptions {
  readonly seed: number;
  readonly size: WorkspaceSize;
  readonly timeZone: string;
  readonly clock: () => Temporal.Instant;
}

/** Fills a fresh store around the clock's today, all or nothing; a store that is filled already stays as it is. */
export function seedWorkspace(store: Store, options: SeedOptions): void {
  if (store.isSeeded()) return;
  store.transaction(() => {
    const random = new Random(options.seed);
    const pen = new SeedWriter({ store, random, now: options.clock(), timeZone: options.timeZone });
    const people = seedPeople(pen, options.seed);
    if (options.size === "empty") seedPlaces(pen, people);
    else {
      const labels = seedLabels(pen);
      const website = seedWebsite(pen, { people, labels });
      seedTradeFair(pen, { people, labels });
      seedMobileApp(pen, { people, labels });
      seedClockChanges(pen, { project: website, createdBy: people.ana });
      seedFiller(pen, { counts: countsBySize[options.size], labels: Object.values(labels) });
    }
    store.markSeeded(options.seed);
  });
}

function seedLabels(pen: SeedWriter): SeedLabels {
  return {
    urgent: pen.label("urgent", "#d9534f"),
    design: pen.label("design", "#5bc0de"),
    client: pen.label("waiting for client", "#f0ad4e"),
    bug: pen.label("bug", "#8d6e63"),
    idea: pen.label("idea 💡", "#7e57c2"),
  };
}

// The document has no endpoint that makes projects, todolists or folders, so even an empty workspace needs some.
function seedPlaces(pen: SeedWriter, people: SeedPeople): void {
  for (const title of ["Blank project", "Second project"]) {
    const project = pen.project({
      title,
      description: "",
      color: "#428bca",
      manager: people.ana,
      customFields: [
        pen.customField({ title: "Budget", description: "", type: "Currency", currency: "EUR" }),
        pen.customField({ title: "Go-live", description: "", type: "Date" }),
      ],
    });
    for (const person of [people.ana, people.ben, people.farid]) pen.join(person, project.id);
    pen.folder({ project: project.id, name: title, parent: null });
    pen.list(project, "To do");
    pen.list(project, "Later");
  }
}
