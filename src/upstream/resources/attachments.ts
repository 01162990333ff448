import { FormData } from "undici";
import type { ProjectId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { Asker } from "../asker.ts";
import type { Call } from "../call.ts";
import type { Failure } from "../failure.ts";
import * as wire from "../wire.ts";

/** A file to upload; `type` is its media type. */
interface Upload {
  readonly projectId: ProjectId;
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}

/** Source: service-api.md, Attachments (two-step upload). */
export interface Attachments {
  /** The first step; the second names the id in the creation of a file, a task or a subtask. */
  upload(upload: Upload, call: Call): Promise<Result<{ readonly fileId: string }, Failure>>;
}

export function createAttachments(asker: Asker): Attachments {
  return {
    upload: (upload, call) =>
      asker.one(
        { ask: { method: "POST", path: null, form: formOf(upload) }, read: readFileId },
        call,
      ),
  };
}

function formOf({ projectId, name, type, content }: Upload): FormData {
  const form = new FormData();
  form.append("project_id", String(projectId));
  form.append("file", new File([Buffer.from(content)], name, { type }));
  return form;
}

function readFileId(raw: unknown): Result<{ readonly fileId: string }, string> {
  const elements: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  const [only] = elements;
  const fileId = wire.isObject(only) ? wire.text(only["file_id"]) : null;
  return fileId === null || fileId === "" ? fail("file_id: no id") : ok({ fileId });
}
