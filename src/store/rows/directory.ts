import { labelId, listId, type ProjectId, personId, projectId } from "../../domain/ids.ts";
import type { Label, Person, Project, Todolist } from "../../domain/item.ts";

export function projectRow(row: unknown): Project {
  const raw = row as {
    id: number;
    title: string;
    description: string | null;
    color: string | null;
    archived: number;
    members: string;
  };
  return {
    id: projectId(raw.id),
    title: raw.title,
    description: raw.description,
    color: raw.color,
    archived: raw.archived === 1,
    members: (JSON.parse(raw.members) as number[]).map(personId),
  };
}

export function personRow(row: unknown): Person {
  const raw = row as {
    id: number;
    name: string;
    email: string | null;
    time_zone: string | null;
    suspended: number;
  };
  return {
    id: personId(raw.id),
    name: raw.name,
    email: raw.email,
    timeZone: raw.time_zone,
    suspended: raw.suspended === 1,
  };
}

export function todolistRow(row: unknown): Todolist {
  const raw = row as {
    id: number;
    project_id: number;
    title: string;
    archived: number;
    private: number;
  };
  return {
    id: listId(raw.id),
    projectId: projectId(raw.project_id),
    title: raw.title,
    archived: raw.archived === 1,
    private: raw.private === 1,
  };
}

export function labelRow(row: unknown): Label {
  const raw = row as { id: number; name: string; color: string | null };
  return { id: labelId(raw.id), name: raw.name, color: raw.color };
}

/** What the service has said to a person's key about a project. */
export interface KeySight {
  readonly project: ProjectId;
  /** Whether it was ever open. */
  readonly opened: boolean;
  /** In a row; 0 while it is open. */
  readonly refusals: number;
  readonly at: Temporal.Instant;
}

export function keySightRow(row: unknown): KeySight {
  const raw = row as { project_id: number; opened: number; refusals: number; at: string };
  const { refusals } = raw;
  const at = Temporal.Instant.from(raw.at);
  return { project: projectId(raw.project_id), opened: raw.opened === 1, refusals, at };
}
