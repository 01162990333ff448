import { chmodSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Command, Option } from "commander";
import { fileReason } from "../../domain/file-reason.ts";
import { isId } from "../../domain/ids.ts";
import type { Result } from "../../domain/result.ts";
import { uploadFile } from "../../operations/workspace-operations.ts";
import { reports } from "../../reports/catalogue/catalogue.ts";
import { byteOrderMark } from "../../reports/formats/data-formats.ts";
import { type Format, formats, isFormat, mediaTypes } from "../../reports/formats/format.ts";
import { type RenderFailure, renderReport } from "../../reports/render-report.ts";
import { findNamed, reportRequest } from "../../reports/report-request.ts";
import { openReader } from "../../store/reading/reader.ts";
import { say } from "../../texts/say.ts";
import { asJson, type CommandTools, Failed, unreadable } from "../command-host.ts";
import {
  type DatabaseOptions,
  type DatabasePlace,
  databaseFor,
  withDatabase,
} from "../database.ts";
import { withRunner } from "../operation-runner.ts";
import { readRows } from "../options.ts";
import { textTable } from "../terminal-text.ts";

interface ReportOptions extends DatabaseOptions {
  readonly project?: string;
  readonly person?: string;
  readonly label?: string;
  readonly from?: string;
  readonly to?: string;
  readonly since?: string;
  readonly asOf?: string;
  readonly limit?: number;
  readonly format?: string;
  readonly json: boolean;
  readonly bom: boolean;
  readonly output?: string;
  readonly publish?: string;
}

/** `report`: the mirror's reports, from the database file alone; `--publish` uploads one to the workspace. */
export function reportCommand({ host }: CommandTools): Command {
  const command = new Command("report")
    .description("a report on the mirror; `report list` names them")
    .argument("<name>", "the report, or list")
    .option("--project <id or name>", "only of this project")
    .option("--person <id or name>", "only for this person, in that person's time zone")
    .option("--label <id or name>", "only with this label")
    .option("--from <date>", "from this day on")
    .option("--to <date>", "up to this day")
    .option("--since <revision or time>", "changes: only later ones")
    .option("--as-of <date or instant>", "the workspace as it was then")
    .option("--limit <rows>", "maximum number of rows", readRows)
    .addOption(new Option("--format <format>", "output format").choices(formats))
    .option("--json", "the same as --format json", false)
    .option("--bom", "start CSV with a byte order mark, for spreadsheets", false)
    .option("--output <file>", "write to a file, atomically")
    .option("--publish <folder>", "upload it to this folder (id or name) of the project");
  return withDatabase(command).action(
    async (name: string, options: ReportOptions, self: Command) => {
      if (name === "list") {
        listReports(options, host);
        return;
      }
      const place = databaseFor(options, self, host);
      const format = formatOf(options);
      const isShown = options.output === undefined && options.publish === undefined;
      const width = isShown ? host.columns : null;
      const request = reportRequest(name, (parameter) => options[parameter], options.limit ?? null);
      const now = host.clock();
      const result = renderReport({ ...place, format, width, now, request, viewer: null });
      if (!result.ok) throw failedOf(result.failure);
      const plain = result.value;
      const mark = options.bom && format === "csv" ? byteOrderMark : "";
      const rendered = { ...plain, text: `${mark}${plain.text}` };
      if (options.output !== undefined) writeWhole(options.output, rendered.text);
      if (options.publish !== undefined) {
        const folder = folderOf(options.publish, place, options.project ?? null);
        const content = new TextEncoder().encode(rendered.text);
        const file = { ...folder, name: rendered.fileName, type: typeOf(format), content };
        await withRunner({ host, command: self }, (runner) => runner.run(uploadFile, file));
        host.say(
          `${rendered.fileName} is in folder ${folder.folder} of project ${folder.project}\n`,
        );
      }
      if (isShown) host.print(rendered.text);
      // The other formats contain the remarks.
      if (format === "csv") {
        for (const line of [...rendered.notes, rendered.freshness]) host.say(`${line}\n`);
      }
    },
  );
}

function listReports({ json, format }: ReportOptions, host: CommandTools["host"]): void {
  const listed = reports.map(({ name, takes }) => ({
    name,
    about: say(`reportAbout.${name}`),
    takes,
  }));
  const rows = listed.map(({ name, about, takes }) => [name, about, takes.join(", ")]);
  host.print(
    json || format === "json" ? asJson(listed) : textTable(["REPORT", "SAYS", "NARROWED BY"], rows),
  );
}

function formatOf({ format, json, publish }: ReportOptions): Format {
  if (format !== undefined && isFormat(format)) return format;
  if (json) return "json";
  return publish === undefined ? "table" : "html";
}

const failedOf = ({ kind, message }: RenderFailure): Failed =>
  kind === "unreadable" ? unreadable(message) : new Failed(message, 2);

/** A folder by id or name; its project is the named one, or its own. */
function folderOf(
  text: string,
  place: DatabasePlace,
  project: string | null,
): { readonly project: number; readonly folder: number } {
  const opened = openReader(place.file);
  if (!opened.ok) throw unreadable(opened.failure);
  const reader = opened.value;
  try {
    const found = <Value>(result: Result<Value, string>): Value => {
      if (!result.ok) throw new Failed(result.failure, 2);
      return result.value;
    };
    const option = "--project";
    const own =
      project === null
        ? null
        : found(findNamed(reader.named("projects"), { option, text: project }));
    const folders = reader
      .named("folders")
      .filter(({ project_id: of }) => own === null || of === own.id);
    // Folders may not be mirrored, so an id is enough if the project is named.
    const isUnseen =
      own !== null && isId(Number(text)) && !folders.some(({ id }) => id === Number(text));
    if (isUnseen) return { project: own.id, folder: Number(text) };
    if (folders.length === 0) {
      const reason =
        "no folder is known yet, for example because polling.files is off; set its id and --project";
      throw new Failed(`--publish "${text}": ${reason}`, 2);
    }
    const folder = found(findNamed(folders, { option: "--publish", text }));
    if (folder.project_id === null) throw new Failed(`folder ${folder.id} has no project`, 1);
    return { project: folder.project_id, folder: folder.id };
  } finally {
    reader.close();
  }
}

/** The content type without its parameters, for an upload. */
const typeOf = (format: Format): string => mediaTypes[format].split(";", 1).join("");

/** Writes a file atomically: an existing one stays until the new one is complete. */
function writeWhole(path: string, text: string): void {
  const present = statSync(path, { throwIfNoEntry: false });
  if (present?.isDirectory()) {
    throw new Failed(`--output ${path}: it is a folder; name a file in it`, 2);
  }
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  try {
    writeFileSync(draft, text, { flush: true });
    // Keeps the permissions, because a web server may publish the file.
    if (present) chmodSync(draft, present.mode & 0o777);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new Failed(`--output ${path}: it cannot be written: ${fileReason(error)}`, 1);
  }
}
