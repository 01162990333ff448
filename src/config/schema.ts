import { resolve } from "node:path";
import { z } from "zod";
import { folderId, listId, personId, projectId } from "../domain/ids.ts";
import { type Config, logLevels } from "./config.ts";
import {
  always,
  discoverOr,
  entriesOf,
  field,
  id,
  isGiven,
  isRecord,
  noneTwice,
  oneSecret,
  path,
  secret,
  secretFile,
  valueAt,
} from "./parts.ts";
import {
  namesUser,
  readCalendarUrl,
  readEmail,
  readExactLength,
  readLength,
  readLinkTemplate,
  readMailbox,
  readPassword,
  readPublicUrl,
  readServiceUrl,
  readSmtpUrl,
  readTimeOfDay,
  readToken,
  readWeekday,
  readZone,
} from "./values.ts";

/**
 * The whole configuration file. Relative paths count from `folder`; secret files are read while parsing, so that their
 * problems stand beside all others.
 */
export function configSchema(folder: string): z.ZodType<Config> {
  const top = z
    .strictObject({
      dataDir: path(folder).prefault("./data"),
      service: z.preprocess((value) => (value === undefined ? {} : value), service(folder)),
      projects: discoverOr(projects()).prefault("discover"),
      people: discoverOr(people(folder)).prefault("discover"),
      polling: polling().prefault({}),
      http: http().prefault({}),
      feeds: feeds().prefault({}),
      calendars: calendars().prefault({}),
      edits: edits(folder).prefault({}),
      mail: mail(folder).prefault({}),
      reminders: reminders().prefault({}),
      log: z.strictObject({ level: z.enum(logLevels).prefault("info") }).prefault({}),
      adminToken: secret(readToken),
      adminTokenFile: secretFile(folder, readToken),
    })
    .superRefine(oneSecret("adminToken"), always)
    .superRefine(subscriptionsStayInside, always);
  return top.transform(
    ({ adminTokenFile, people: listed, mail: { directory, ...post }, ...rest }) => ({
      ...rest,
      people: listed === "discover" ? [] : listed,
      discoverPeople: true,
      mail: { ...post, directory: directory ?? resolve(rest.dataDir, "mail") },
      adminToken: rest.adminToken ?? adminTokenFile ?? null,
    }),
  );
}

function service(folder: string) {
  return z
    .strictObject({
      baseUrl: field(readServiceUrl),
      uploadUrl: field(readServiceUrl).optional(),
      apiKey: secret(readToken),
      apiKeyFile: secretFile(folder, readToken),
      contact: field(readEmail),
      timeZone: field(readZone),
      quota: z
        .strictObject({
          requests: z.int().min(1, "must be at least 1").prefault(25),
          per: field(readExactLength).prefault("PT10S"),
        })
        .prefault({}),
      timeout: field(readExactLength).prefault("PT30S"),
      webUrl: field(readLinkTemplate).nullable().prefault(null),
    })
    .superRefine(oneSecret("apiKey"), always)
    .superRefine((value, context) => {
      if (!isRecord(value) || isGiven(value, "apiKey") || isGiven(value, "apiKeyFile")) return;
      const ways = '"apiKey", "apiKeyFile", DAYFERRY_API_KEY or DAYFERRY_API_KEY_FILE';
      context.addIssue({ code: "custom", path: ["apiKey"], message: `is missing: give ${ways}` });
    }, always)
    .transform(({ apiKey, apiKeyFile, uploadUrl, ...rest }) => ({
      ...rest,
      uploadUrl: uploadUrl ?? uploadUrlFor(rest.baseUrl),
      apiKey: apiKey ?? apiKeyFile ?? "",
    }));
}

function projects() {
  const project = z.strictObject({
    id: id(projectId),
    name: z.string().nullable().prefault(null),
    todolists: discoverOr(z.array(id(listId))).prefault("discover"),
    folders: discoverOr(z.array(id(folderId))).prefault("discover"),
  });
  return z.array(project).superRefine(noneTwice("id"), always);
}

function people(folder: string) {
  const person = z
    .strictObject({
      id: id(personId),
      name: z.string().nullable().prefault(null),
      email: field(readEmail).nullable().prefault(null),
      timeZone: field(readZone).nullable().prefault(null),
      calendars: z.enum(["write", "read"]).prefault("write"),
      mail: mailWishes(),
      apiKey: secret(readToken),
      apiKeyFile: secretFile(folder, readToken),
    })
    .superRefine(oneSecret("apiKey"), always)
    .transform(({ apiKey, apiKeyFile, ...rest }) => ({
      ...rest,
      apiKey: apiKey ?? apiKeyFile ?? null,
    }));
  return z
    .array(person)
    .superRefine(noneTwice("id"), always)
    .superRefine(noneTwice("email"), always);
}

/** Every kind unless the person is to do without it. */
function mailWishes() {
  const wish = z.boolean().prefault(true);
  return z
    .strictObject({
      events: wish,
      milestones: wish,
      tasks: wish,
      overdue: wish,
      digest: wish,
      notices: wish,
    })
    .prefault({});
}

function polling() {
  return z.strictObject({
    maxAge: field(readExactLength).prefault("PT15M"),
    comments: z.boolean().prefault(true),
    history: z.boolean().prefault(true),
    files: z.boolean().prefault(true),
  });
}

function http() {
  const range = "must be between 0 and 65535";
  return z.strictObject({
    host: z.string().regex(/^\S+$/, "must be an address or a host name").prefault("127.0.0.1"),
    port: z.int().min(0, range).max(65_535, range).prefault(8380),
    publicUrl: field(readPublicUrl).nullable().prefault(null),
    trustProxy: z.boolean().prefault(false),
  });
}

function feeds() {
  return z.strictObject({
    past: field(readLength).prefault("P90D"),
    future: field(readLength).prefault("P2Y"),
    completed: field(readLength).prefault("P14D"),
    private: z.enum(["omit", "busy", "show"]).prefault("omit"),
    tasks: z.enum(["due", "span", "none"]).prefault("due"),
    customDates: z.boolean().prefault(false),
    assignees: z.boolean().prefault(true),
    actionLinks: z.boolean().prefault(true),
  });
}

const calendars = () => z.strictObject({ milestones: z.boolean().prefault(true) });

function edits(folder: string) {
  const subscription = z
    .strictObject({
      name: z.string().regex(/\S/, "must not be empty"),
      url: secret(readCalendarUrl),
      urlFile: secretFile(folder, readCalendarUrl),
      project: id(projectId),
      person: id(personId).nullable().prefault(null),
      every: field(readExactLength).prefault("PT5M"),
      new: z.enum(["ignore", "create"]).prefault("ignore"),
      gone: z.enum(["ignore", "delete"]).prefault("ignore"),
      allowPrivate: z.boolean().prefault(false),
    })
    .superRefine(oneSecret("url"), always)
    .superRefine((value, context) => {
      if (!isRecord(value) || isGiven(value, "url") || isGiven(value, "urlFile")) return;
      const message = 'is missing: give "urlFile" or "url"';
      context.addIssue({ code: "custom", path: ["urlFile"], message });
    }, always)
    .transform(({ url, urlFile, ...rest }) => ({ ...rest, url: url ?? urlFile ?? "" }));
  return z.strictObject({
    mode: z.enum(["apply", "review"]).prefault("apply"),
    conflicts: z.enum(["ask", "theirs", "ours"]).prefault("ask"),
    labels: z.enum(["known", "create"]).prefault("known"),
    inbox: path(folder).nullable().prefault(null),
    subscriptions: z.array(subscription).superRefine(noneTwice("name"), always).prefault([]),
  });
}

function mail(folder: string) {
  return z
    .strictObject({
      from: field(readMailbox).prefault("Dayferry <dayferry@example.com>"),
      smtpUrl: field(readSmtpUrl).nullable().prefault(null),
      smtpPassword: secret(readPassword),
      smtpPasswordFile: secretFile(folder, readPassword),
      directory: path(folder).optional(),
      perMinute: z.int().min(1, "must be at least 1").prefault(20),
    })
    .superRefine(oneSecret("smtpPassword"), always)
    .superRefine((value, context) => {
      if (!isGiven(value, "smtpPassword") && !isGiven(value, "smtpPasswordFile")) return;
      if (typeof value.smtpUrl !== "string" || namesUser(value.smtpUrl)) return;
      const message = "must name the user for the password: smtps://user@host";
      context.addIssue({ code: "custom", path: ["smtpUrl"], message });
    }, always)
    .transform(({ smtpPassword, smtpPasswordFile, ...rest }) => ({
      ...rest,
      smtpPassword: smtpPassword ?? smtpPasswordFile ?? null,
    }));
}

function reminders() {
  return z.strictObject({
    events: z.boolean().prefault(true),
    milestones: z.array(field(readLength)).prefault(["P1D"]),
    tasks: z.array(field(readLength)).prefault(["P1D"]),
    overdue: z.boolean().prefault(true),
    at: field(readTimeOfDay).prefault("09:00"),
    digest: digest().nullable().prefault(null),
    catchUp: field(readExactLength).prefault("PT12H"),
  });
}

/** `"07:30"` = every day; an object names the weekday as well. */
function digest() {
  const daily = field(readTimeOfDay).transform((at) => ({ at, weekday: null }));
  const weekly = z.strictObject({ at: field(readTimeOfDay), weekday: field(readWeekday) });
  const ways = 'a time of day such as "07:30", or { "at": "07:30", "weekday": "monday" }';
  return z.union([daily, weekly], { error: `must be ${ways}` });
}

/** A subscription that feeds a project which is not kept would have nothing to compare with. */
function subscriptionsStayInside(value: unknown, context: z.RefinementCtx): void {
  const listed = valueAt(value, "projects");
  if (!Array.isArray(listed)) return;
  const known = new Set(listed.map((project) => valueAt(project, "id")));
  const subscriptions = entriesOf(valueAt(valueAt(value, "edits"), "subscriptions"));
  for (const [index, subscription] of subscriptions.entries()) {
    const project = valueAt(subscription, "project");
    if (typeof project !== "number" || known.has(project)) continue;
    const message = `must be one of the listed projects, not ${project}`;
    context.addIssue({
      code: "custom",
      path: ["edits", "subscriptions", index, "project"],
      message,
    });
  }
}

const uploadUrlFor = (baseUrl: string): string =>
  baseUrl.endsWith("/api/v3") ? baseUrl.replace(/\/api\/v3$/, "/upload") : `${baseUrl}/upload`;
