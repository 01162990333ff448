import { directoryFor, type Viewer } from "../domain/sight.ts";
import type { Store } from "../store/store.ts";
import type { Named } from "./report.ts";

/** By what reports can be narrowed, in the order of the names. */
export interface ReportChoices {
  readonly project: readonly Named[];
  readonly person: readonly Named[];
  readonly label: readonly Named[];
}

/** What a viewer may narrow reports by: of projects those that are for their eyes. */
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
