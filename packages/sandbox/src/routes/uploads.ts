import { type IRouter, Router } from "express";
import { type Reply, replyWith } from "../exchange.ts";
import { refuse } from "../refusal.ts";
import type { Workspace } from "../workspace.ts";
import type { UploadContent } from "../workspace-files.ts";
import { type Call, route } from "./route.ts";

/**
 * The upload address: form data with `project_id` and `file`, or the content itself with its type and the query
 * parameters `project_id` and, for people, `name`. Source: service-api.md, Attachments.
 */
export function uploadRoutes({ files }: Workspace): IRouter {
  const router = Router();
  route(router, {
    path: "/",
    post: async (call): Promise<Reply> => {
      const upload = await readUpload(call);
      const { project, content } = upload;
      return replyWith(200, files.upload({ by: call.by, project }, content));
    },
  });
  return router;
}

interface Upload {
  readonly project: number;
  readonly content: UploadContent;
}

async function readUpload(call: Call): Promise<Upload> {
  const type = call.request.get("content-type");
  if (type === undefined) return refuse(415, "Content-Type must be the type of the file");
  if (/^multipart\/form-data\b/i.test(type)) return readForm(call, type);
  const project = readProject(call.query("project_id"));
  if (project === null) return refuse(400, "project_id is required");
  if (call.bytes.length === 0) return refuse(400, "the file has no content");
  const name = call.query("name") ?? nameFor(type);
  return { project, content: { name, type, bytes: call.bytes } };
}

async function readForm(call: Call, type: string): Promise<Upload> {
  let form: FormData;
  try {
    const body = new Uint8Array(call.bytes);
    form = await new Response(body, { headers: { "content-type": type } }).formData();
  } catch {
    return refuse(400, "the form data cannot be read");
  }
  const given = form.get("project_id");
  const project = readProject(typeof given === "string" ? given : call.query("project_id"));
  if (project === null) return refuse(400, "project_id is required");
  const file = form.get("file");
  if (file === null || typeof file === "string") return refuse(400, "file is required");
  const bytes = new Uint8Array(await file.arrayBuffer());
  const fileType = file.type === "" ? "application/octet-stream" : file.type;
  return { project, content: { name: file.name, type: fileType, bytes } };
}

function readProject(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function nameFor(type: string): string {
  const ending = /^[\w.-]+\/([\w]+)/.exec(type)?.[1] ?? "bin";
  return `upload.${ending === "plain" ? "txt" : ending}`;
}
