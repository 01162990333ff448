import type { EditExtra, ExtraKind, ExtraState, ExtraTarget } from "../../domain/edit-extra.ts";
import { editId, serviceId } from "../../domain/ids.ts";
import { instantOf } from "./rows.ts";

export function extraRow(row: unknown): EditExtra {
  const raw = row as {
    id: number;
    edit: number;
    kind: ExtraKind;
    target: ExtraTarget;
    name: string;
    media_type: string | null;
    text: string | null;
    digest: string;
    state: ExtraState;
    problem: string | null;
    attempts: number;
    not_before: string | null;
    file_id: string | null;
    answer_id: number | null;
    created_at: string;
  };
  return {
    id: raw.id,
    edit: editId(raw.edit),
    kind: raw.kind,
    target: raw.target,
    name: raw.name,
    mediaType: raw.media_type,
    text: raw.text,
    digest: raw.digest,
    state: raw.state,
    problem: raw.problem,
    attempts: raw.attempts,
    notBefore: instantOf(raw.not_before),
    fileId: raw.file_id,
    answerId: raw.answer_id === null ? null : serviceId(raw.answer_id),
    createdAt: Temporal.Instant.from(raw.created_at),
  };
}

export const contentColumn = (row: unknown): Uint8Array | null =>
  (row as { content: Uint8Array | null } | undefined)?.content ?? null;
