import type { InProject, Need, ProjectPlace } from "./access-checks.ts";
import { Fields } from "./fields.ts";
import type { FileRecord, FolderRecord, UploadRecord } from "./records.ts";
import { refuse } from "./refusal.ts";
import { type Setting, stampNow } from "./setting.ts";
import { fileType, type WantedAttachment, wholeNumber } from "./work-item.ts";

export interface FolderPlace extends ProjectPlace {
  readonly folder: number;
}

export interface FilePlace extends FolderPlace {
  readonly file: number;
}

/** What the upload address receives. */
export interface UploadContent {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface FileContent {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

export type FileView = ReturnType<typeof showFile>;

/**
 * Uploads and the files of folders.
 * Source: service-api.md, Attachments and Files.
 */
export class FileWork {
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  upload(place: ProjectPlace, content: UploadContent): object {
    this.#setting.access.project(place, "write");
    const { store } = this.#setting;
    return store.transaction(() => {
      const upload = store.uploads.put({
        id: store.next("uploads"),
        project: place.project,
        name: content.name,
        type: content.type,
        byteSize: content.bytes.length,
        createdBy: place.by,
        createdAt: stampNow(this.#setting),
      });
      store.keepContent(upload.id, content.bytes);
      return { file_id: upload.id, name: upload.name, byte_size: upload.byteSize };
    });
  }

  list(place: FolderPlace): readonly FileView[] {
    this.#folder(place, "read");
    return this.#setting.store.files.of(place.folder).map((it) => this.#show(it, place.by));
  }

  /**
   * Files uploads into a folder: `attachments` as an array go into the folder of the path and return an array; one id goes into
   * the body's `folder`, or the project's home folder, and returns an object.
   */
  create(place: FolderPlace, body: unknown): FileView | readonly FileView[] {
    this.#folder(place, "write");
    const fields = new Fields(body);
    const raw = fields.raw("attachments");
    if (raw === undefined || raw === null || fields.problem !== null)
      return refuse(400, fields.problem ?? "attachments is required");
    const uploads = this.#uploads(Array.isArray(raw) ? raw : [raw], place.project);
    if (Array.isArray(raw)) return uploads.map((it) => this.#show(this.#file(it, place), place.by));

    const named = fields.id("folder") ?? homeFolder(this.#setting, place.project)?.id;
    const folder = this.#setting.store.folders.get(named ?? 0);
    const [upload] = uploads;
    if (fields.problem !== null || upload === undefined || folder?.project !== place.project)
      return refuse(400, fields.problem ?? `folder ${named} is not in this project`);
    return this.#show(this.#file(upload, { ...place, folder: folder.id }), place.by);
  }

  remove(place: FilePlace): null {
    this.#folder(place, "write");
    const file = this.#setting.store.files.get(place.file);
    if (file?.folder !== place.folder)
      return refuse(404, `there is no file ${place.file} in folder ${place.folder}`);
    this.#setting.store.files.remove(file.id);
    return null;
  }

  /** The bytes of a file in any folder. */
  content(place: { readonly by: number; readonly file: number }): FileContent {
    const { store, access } = this.#setting;
    const file = store.files.get(place.file);
    if (file === undefined) return refuse(404, `there is no file ${place.file}`);
    access.project({ by: place.by, project: file.project }, "read");
    const bytes = store.content(file.upload);
    const type = store.uploads.get(file.upload)?.type ?? "application/octet-stream";
    if (bytes === undefined) return refuse(404, `file ${place.file} has no content`);
    return { name: file.name, type, bytes };
  }

  #folder(place: FolderPlace, need: Need): InProject & { folder: FolderRecord } {
    const found = this.#setting.access.project(place, need);
    const folder = this.#setting.store.folders.get(place.folder);
    if (folder?.project !== place.project)
      return refuse(404, `there is no folder ${place.folder} in project ${place.project}`);
    return { ...found, folder };
  }

  #uploads(ids: readonly unknown[], project: number): readonly UploadRecord[] {
    const found: UploadRecord[] = [];
    for (const id of ids) {
      const upload = this.#setting.store.uploads.get(wholeNumber(id));
      if (upload?.project !== project)
        return refuse(400, `attachments holds ${JSON.stringify(id)}, which was not uploaded here`);
      found.push(upload);
    }
    return found.length === 0 ? refuse(400, "attachments is empty") : found;
  }

  #file(upload: UploadRecord, place: FolderPlace): FileRecord {
    return fileUpload(upload, { ...place, setting: this.#setting });
  }

  #show(file: FileRecord, by: number): FileView {
    return showFile(file, { by, url: this.#setting.fileUrl(file.id, file.name) });
  }
}

/** Files the uploads of a new task or subtask; rejects a folder outside its project. */
export function fileAttachments(
  found: InProject & { readonly setting: Setting },
  wanted: readonly WantedAttachment[],
): readonly number[] {
  const { setting } = found;
  const project = found.project.id;
  const home = homeFolder(setting, project)?.id ?? 0;
  const checked: [UploadRecord, number][] = [];
  for (const it of wanted) {
    const upload = setting.store.uploads.get(it.upload);
    const folder = setting.store.folders.get(it.folder ?? home);
    if (upload?.project !== project || folder?.project !== project)
      return refuse(400, `attachments: upload ${it.upload} or its folder is of another project`);
    checked.push([upload, folder.id]);
  }
  for (const [upload, folder] of checked)
    fileUpload(upload, { by: found.person.id, project, folder, setting });
  return wanted.map((it) => it.upload);
}

function fileUpload(
  upload: UploadRecord,
  place: FolderPlace & { readonly setting: Setting },
): FileRecord {
  const { store } = place.setting;
  const now = stampNow(place.setting);
  return store.files.put({
    id: store.next("files"),
    project: place.project,
    folder: place.folder,
    upload: upload.id,
    name: upload.name,
    byteSize: upload.byteSize,
    createdBy: place.by,
    createdAt: now,
    updatedAt: now,
  });
}

function homeFolder(setting: Setting, project: number): FolderRecord | undefined {
  return setting.store.folders.of(project).find((it) => it.parent === null);
}

function showFile(file: FileRecord, seen: { readonly by: number; readonly url: string }) {
  return {
    id: file.id,
    name: file.name,
    // The document allows both forms, so both occur.
    byte_size: file.id % 2 === 0 ? String(file.byteSize) : file.byteSize,
    created_at: file.createdAt,
    updated_at: file.updatedAt,
    source: "upload",
    approved_by_me: false,
    approved_count: 0,
    approved_by: null,
    by_me: file.createdBy === seen.by,
    file_type: fileType(file.name),
    proof_count: 0,
    url: seen.url,
    creator: { id: file.createdBy },
  };
}
