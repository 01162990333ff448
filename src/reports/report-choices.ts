import { directoryFor, type Viewer } from "../domain/visibility.ts";
import type { Store } from "../store/store.ts";
import type { Named } from "./report.ts";

/** What reports can be filtered by, sorted by name. */
export interface ReportChoices {
  readonly project: readonly Named[];
  readonly person: readonly Named[];
  readonly label: readonly Named[];
}

/** The filters a viewer may choose from, with the projects they may see. */
export function reportChoices(
  directory: Pick<Store["directory"], "projects" | "project" | "people" | "labels">,
  viewer: Viewer,
): ReportChoices {
  const projects = directoryFor(directory, viewer).projects();
  return {
    project: byName(projects.map(({ id, title }) => ({ id, name: title }))),
    person: byName(directory.people().map(({ id, name }) => ({ id, name }))),
    label: byName(directory.labels().map(({ id, name }) => ({ id, name }))),
  };
}

const byName = (entries: readonly Named[]): readonly Named[] =>
  entries.toSorted((a, b) => a.name.localeCompare(b.name, "en"));
