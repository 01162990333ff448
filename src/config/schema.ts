import { resolve } from "node:path";
import { z } from "zod";
import { folderId, listId, personId, projectId } from "../domain/ids.ts";
import { defaultLanguage, languageCodes } from "../texts/say.ts";
import { type Config, logLevels } from "./config.ts";
import { backups } from "./schema-backups.ts";
import { eventHooks, operator, personWebhook } from "./schema-operator.ts";
import {
  always,
  discoverOr,
  doc,
  entriesOf,
  id,
  isGiven,
  noneTwice,
  oneSecret,
  path,
  secret,
  secretFileField,
  textSetting,
  valueAt,
} from "./schema-parts.ts";
import {
  namesUser,
  readAdminToken,
  readCalendarUrl,
  readEmail,
  readExactLength,
  readHeaderName,
  readLength,
  readLinkTemplate,
  readLogout,
  readMailbox,
  readMethod,
  readNetwork,
  readPassword,
  readProxies,
  readProxy,
  readPublicUrl,
  readPurgeText,
  readPurgeUrl,
  readServiceUrl,
  readSmtpSetting,
  readTimeOfDay,
  readToken,
  readWeekday,
  readZone,
} from "./values.ts";

/**
 * The whole configuration file. Relative paths are relative to `folder`. Secret files are read while parsing, so that their
 * problems are reported with all others.
 */
export function configSchema(folder: string): z.ZodType<Config> {
  const top = z
    .strictObject({
      dataDir: doc(
        path(folder).prefault("./data"),
        "folder for the database, the keys and the lock; created at the first start",
      ),
      language: doc(
        z.enum(languageCodes).prefault(defaultLanguage),
        "language of mails, feeds and messages to the operator, and of pages for browsers without a known one; people can choose another",
      ),
      service: z.preprocess((value) => (value === undefined ? {} : value), service(folder)),
      projects: doc(
        discoverOr(projects()).prefault("discover"),
        "projects to mirror; `discover`: all that the key can access",
      ),
      people: doc(
        discoverOr(people(folder)).prefault("discover"),
        "additional settings of people by id; they override the workspace's",
      ),
      polling: polling().prefault({}),
      http: http(folder).prefault({}),
      feeds: feeds().prefault({}),
      calendars: calendars().prefault({}),
      edits: edits(folder).prefault({}),
      mail: mail(folder).prefault({}),
      reminders: reminders().prefault({}),
      operator: operator(folder).prefault({}),
      webhooks: doc(eventHooks(folder).prefault([]), "URLs that get a message for each change"),
      metrics: metrics().prefault({}),
      backups: backups(folder).prefault({}),
      log: log().prefault({}),
      adminToken: doc(
        secret(readAdminToken),
        "password for the API and the start page; at least 32 characters",
        "created at the first start, in `<dataDir>/admin-token`",
      ),
      adminTokenFile: doc(secretFileField(folder, readAdminToken), "a file that holds it instead"),
    })
    .superRefine(oneSecret("adminToken"), always)
    .superRefine(subscriptionsStayInside, always)
    .superRefine(portsDiffer, always);
  return top.transform(
    ({
      adminTokenFile,
      people: listed,
      mail: { directory, ...post },
      operator: told,
      backups: { directory: backupsIn, ...kept },
      ...rest
    }) => ({
      ...rest,
      operator: { ...told, mail: told.mail ?? [rest.service.contact] },
      backups: { ...kept, directory: backupsIn ?? resolve(rest.dataDir, "backups") },
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
      baseUrl: doc(
        textSetting(readServiceUrl, "address"),
        "the service's API with its version, such as `https://company.example.com/api/v3`; https, or http on this machine",
      ),
      uploadUrl: doc(
        textSetting(readServiceUrl, "address").optional(),
        "URL for file uploads",
        "`baseUrl` with `/upload` for `/api/v3`",
      ),
      apiKey: doc(secret(readToken), "the account's key; this, `apiKeyFile` or the environment"),
      apiKeyFile: doc(
        secretFileField(folder, readToken),
        "a file that holds the key and nothing else",
      ),
      contact: doc(
        textSetting(readEmail, "e-mail address"),
        "contact of the operator, for the User-Agent that the service requires",
      ),
      timeZone: doc(
        textSetting(readZone, "IANA zone"),
        "the account's time zone, which the service uses; `doctor --probe-time-zone` verifies it",
      ),
      quota: z
        .strictObject({
          requests: doc(
            z.int().min(1, "must be at least 1").prefault(25),
            "how many requests the service allows in that time",
          ),
          per: doc(
            textSetting(readExactLength, "duration").prefault("PT10S"),
            "period of the quota",
          ),
        })
        .prefault({}),
      timeout: doc(
        textSetting(readExactLength, "duration").prefault("PT30S"),
        "timeout of a request to the service",
      ),
      webUrl: doc(
        textSetting(readLinkTemplate, "address").nullable().prefault(null),
        "links to items in the service's own pages: a template with `{project}`, `{kind}` and `{id}`",
      ),
    })
    .superRefine(oneSecret("apiKey", noApiKey), always)
    .transform(({ apiKey, apiKeyFile, uploadUrl, ...rest }) => ({
      ...rest,
      uploadUrl: uploadUrl ?? uploadUrlFor(rest.baseUrl),
      apiKey: apiKey ?? apiKeyFile ?? "",
    }));
}

const noApiKey = {
  at: "apiKey",
  message: 'is missing: give "apiKey", "apiKeyFile", DAYFERRY_API_KEY or DAYFERRY_API_KEY_FILE',
};

function projects() {
  const project = z.strictObject({
    id: doc(id(projectId), "the project's number"),
    name: doc(z.string().nullable().prefault(null), "another name than the service's"),
    todolists: doc(discoverOr(z.array(id(listId))).prefault("discover"), "todolists to mirror"),
    folders: doc(discoverOr(z.array(id(folderId))).prefault("discover"), "folders to mirror"),
  });
  return z.array(project).superRefine(noneTwice("id"), always);
}

function people(folder: string) {
  const person = z
    .strictObject({
      id: doc(id(personId), "the person's number"),
      name: doc(z.string().nullable().prefault(null), "another name than the service's"),
      email: doc(
        textSetting(readEmail, "e-mail address").nullable().prefault(null),
        "address for mails, and user name for calendar programs",
      ),
      timeZone: doc(
        textSetting(readZone, "IANA zone").nullable().prefault(null),
        "time zone of the person's mails and reports; default: the account's",
      ),
      calendars: doc(
        z.enum(["write", "read"]).prefault("write"),
        "whether the person may change calendars and submit edits",
      ),
      mail: mailWishes(),
      webhook: doc(
        personWebhook(folder).nullable().prefault(null),
        "webhook for the person's reminders, digests and notices; the person may choose another one on the pages",
      ),
      apiKey: doc(secret(readToken), "the person's own API key, used for that person's edits"),
      apiKeyFile: doc(secretFileField(folder, readToken), "a file that holds it"),
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

/** Every kind, unless turned off for the person. */
function mailWishes() {
  const kind = (about: string) => doc(z.boolean().prefault(true), about);
  return z
    .strictObject({
      events: kind("reminders of events"),
      milestones: kind("milestones ahead"),
      tasks: kind("upcoming tasks and subtasks"),
      overdue: kind("overdue items"),
      digest: kind("the digest"),
      notices: kind("the person's edits that were not applied"),
      invitations: kind("invitations to assigned events, if chosen"),
      alarms: kind("reminders in invitations, if chosen"),
    })
    .prefault({});
}

const shareRange = "must be between 0.1 and 1";

function polling() {
  return z.strictObject({
    maxAge: doc(
      textSetting(readExactLength, "duration").prefault("PT15M"),
      "maximum age before something is read again; what changes often is read more often",
    ),
    share: doc(
      z.number().min(0.1, shareRange).max(1, shareRange).prefault(0.9),
      "fraction of the quota used for reading; the rest is for edits and for other tools of the account",
    ),
    comments: doc(z.boolean().prefault(true), "whether comments on tasks are mirrored"),
    history: doc(z.boolean().prefault(true), "whether the history of items is mirrored"),
    files: doc(z.boolean().prefault(true), "whether folders and the names of files are mirrored"),
  });
}

const log = () =>
  z.strictObject({
    level: doc(z.enum(logLevels).prefault("info"), "log level, on standard error"),
  });

function http(folder: string) {
  const range = "must be between 0 and 65535";
  return z.strictObject({
    host: doc(
      z.string().regex(/^\S+$/, "must be an address or a host name").prefault("127.0.0.1"),
      "address to listen on; `0.0.0.0` for every address of the machine",
    ),
    port: doc(z.int().min(0, range).max(65_535, range).prefault(8380), "0 for any free one"),
    publicUrl: doc(
      textSetting(readPublicUrl, "address").nullable().prefault(null),
      "public URL of the daemon, required for Google, Outlook, and links in mails and feeds",
    ),
    trustProxy: doc(
      trustedProxies().prefault(false),
      'which proxies in front are believed when they say for whom they ask: `true` one wherever it stands, a number so many in a row, or their addresses and networks, such as `["127.0.0.1", "10.0.0.0/8"]`; `loopback`, `linklocal` and `uniquelocal` are names of networks',
    ),
    identityHeader: doc(
      identityHeader().nullable().prefault(null),
      "how an authenticating reverse proxy passes who is logged in",
    ),
    sharedCache: doc(
      z.preprocess(
        (value) => (value === true ? {} : value === false ? null : value),
        sharedCache(folder).nullable().prefault(null),
      ),
      "lets HTTP caches store feeds (`docs/scaling.md`); `true` uses all defaults",
      "false",
    ),
    primaryUrl: doc(
      textSetting(readPublicUrl, "address").nullable().prefault(null),
      "for `serve --read-only`: the address of the daemon that takes edits, shown to people who try to change something; else `http.publicUrl`",
    ),
  });
}

/** More proxies in a row than this are a mistake. */
const mostProxies = 16;

function trustedProxies() {
  const several = z.array(textSetting(readProxy, "address or network"));
  return z
    .union(
      [
        z.boolean(),
        z.int().min(1).max(mostProxies),
        several.min(1),
        textSetting(readProxies, "addresses and networks with commas between"),
      ],
      {
        error: `must be true, false, a number of proxies from 1 to ${mostProxies}, or addresses and networks such as "loopback" or ["10.0.0.0/8"]`,
      },
    )
    .meta({ type: "true or false, number, or list of addresses and networks" });
}

/** `true` = with the default durations, `false` = none. */
function sharedCache(folder: string) {
  const length = (usual: string, about: string) =>
    doc(textSetting(readLength, "duration").prefault(usual), about);
  return z.strictObject({
    maxAge: length(
      "PT1M",
      "`s-maxage`: how long an HTTP cache in front serves a feed without asking",
    ),
    staleWhileRevalidate: length(
      "PT30S",
      "how much longer it serves a copy while fetching a new one",
    ),
    staleIfError: length(
      "P1D",
      "how long after `maxAge` it serves a copy while the daemon does not respond",
    ),
    purge: purge(folder).nullable().prefault(null),
  });
}

function purge(folder: string) {
  const text = () => textSetting(readPurgeText, "template");
  return z
    .strictObject({
      url: doc(
        textSetting(readPurgeUrl, "template of an address"),
        "request that purges a changed feed from a cache; `{key}` is the feed's surrogate key, `{path}` and `{url}` its address",
      ),
      method: doc(
        textSetting(readMethod, "method").prefault("PURGE"),
        "the method of that request",
      ),
      headers: doc(
        z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, headerName), text()).prefault({}),
        "its headers by name, as templates with `{key}`, `{path}`, `{url}` and `{token}`",
      ),
      body: doc(text().nullable().prefault(null), "its body, as such a template"),
      token: doc(secret(readToken), "replaces `{token}`, or is sent as `Authorization: Bearer`"),
      tokenFile: doc(secretFileField(folder, readToken), "a file that holds it instead"),
      timeout: doc(
        textSetting(readExactLength, "duration").prefault("PT5S"),
        "timeout of the request",
      ),
    })
    .superRefine(oneSecret("token"), always)
    .superRefine((value, context) => {
      const templates = [value.url, value.body, ...Object.values(value.headers ?? {})];
      if (templates.some((each) => /\{(?:key|path|url)\}/.test(each ?? ""))) return;
      const message = "must contain {key}, {path} or {url}, here or in a header or the body";
      context.addIssue({ code: "custom", path: ["url"], message });
    })
    .transform(({ token, tokenFile, ...rest }) => ({
      ...rest,
      token: token ?? tokenFile ?? null,
    }));
}

const headerName = "must be the name of a header";

function metrics() {
  const range = "must be between 0 and 65535";
  return z
    .strictObject({
      enabled: doc(z.boolean().prefault(true), "whether there is a `/metrics` at all"),
      host: doc(
        z.string().regex(/^\S+$/, "must be an address or a host name").nullish(),
        "where `metrics.port` listens",
        "`127.0.0.1`",
      ),
      port: doc(
        z.int().min(0, range).max(65_535, range).nullable().prefault(null),
        "separate port for `/metrics`, instead of the daemon's; 0 for any free one",
      ),
    })
    .superRefine(hostNeedsPort, always)
    .transform(({ host, ...rest }) => ({ ...rest, host: host ?? "127.0.0.1" }));
}

function hostNeedsPort(value: unknown, context: z.RefinementCtx): void {
  if (!isGiven(value, "host") || isGiven(value, "port")) return;
  const message = 'has no effect without "port": metrics are where the daemon listens then';
  context.addIssue({ code: "custom", path: ["host"], message });
}

/** Two servers cannot listen on the same address. */
function portsDiffer(value: unknown, context: z.RefinementCtx): void {
  const [own, all] = [valueAt(value, "metrics"), valueAt(value, "http")];
  const port = valueAt(own, "port");
  if (typeof port !== "number" || port === 0 || port !== valueAt(all, "port")) return;
  const hosts = [valueAt(own, "host"), valueAt(all, "host")];
  const isApart = hosts[0] !== hosts[1] && !hosts.some((host) => anyHosts.has(String(host)));
  if (isApart) return;
  const message = "is the daemon's own port: leave it out for metrics there, or name another one";
  context.addIssue({ code: "custom", path: ["metrics", "port"], message });
}

const anyHosts: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

function identityHeader() {
  return z.strictObject({
    name: doc(
      textSetting(readHeaderName, "name of a header"),
      "the header with a person's e-mail address or id, such as `X-Forwarded-Email`",
    ),
    from: doc(
      z
        .array(textSetting(readNetwork, "address or network"))
        .min(1, "must name the proxy's address"),
      "the proxy's own addresses or networks; from anywhere else the header is ignored",
    ),
    admins: doc(
      z.array(z.string().regex(/\S/, "must not be empty")).prefault([]),
      "the admin's value of the header; everyone else only sees their own data",
    ),
    logout: doc(
      textSetting(readLogout, "address").nullable().prefault(null),
      "where people log out of the proxy: a path on its host, or a URL",
    ),
  });
}

function feeds() {
  return z.strictObject({
    past: doc(textSetting(readLength, "duration").prefault("P90D"), "how far back feeds go"),
    future: doc(textSetting(readLength, "duration").prefault("P2Y"), "how far ahead feeds go"),
    completed: doc(
      textSetting(readLength, "duration").prefault("P14D"),
      "how long completed items stay in feeds",
    ),
    private: doc(
      z.enum(["omit", "busy", "show"]).prefault("omit"),
      "private events: omitted, shown as busy only, or shown completely",
    ),
    tasks: doc(
      z.enum(["due", "span", "none"]).prefault("due"),
      "tasks: on their due day, from their first to their last day, or not at all",
    ),
    customDates: doc(
      z.boolean().prefault(false),
      "whether dates in custom fields of tasks are separate items",
    ),
    assignees: doc(z.boolean().prefault(true), "whether descriptions list the assignees"),
    actionLinks: doc(
      z.boolean().prefault(true),
      "whether descriptions have links such as *Done* and *+1 day*; they need `http.publicUrl`",
    ),
  });
}

const calendars = () =>
  z.strictObject({
    milestones: doc(
      z.boolean().prefault(true),
      "whether each project also has its milestones as a to-do list",
    ),
    push: doc(
      z.enum(["public", "any", "off"]).prefault("public"),
      "push messages to phones that connect by DAVx5: through public push services only, through any address (such as one in the local network), or none",
    ),
  });

function edits(folder: string) {
  const subscription = z
    .strictObject({
      name: doc(z.string().regex(/\S/, "must not be empty"), "its name in responses"),
      url: doc(secret(readCalendarUrl), "its URL; anyone who has it can read the calendar"),
      urlFile: doc(secretFileField(folder, readCalendarUrl), "a file that holds the address"),
      project: doc(id(projectId), "the project to which it belongs"),
      person: doc(
        id(personId).nullable().prefault(null),
        "whose edits these are; else the account's",
      ),
      every: doc(textSetting(readExactLength, "duration").prefault("PT5M"), "how often it is read"),
      new: doc(
        z.enum(["ignore", "create"]).prefault("ignore"),
        "what to do with events that are only in the calendar",
      ),
      gone: doc(
        z.enum(["ignore", "delete"]).prefault("ignore"),
        "what to do with items that are no longer in the calendar",
      ),
      allowPrivate: doc(z.boolean().prefault(false), "whether the URL may be in a private network"),
    })
    .superRefine(
      oneSecret("url", { at: "urlFile", message: 'is missing: give "urlFile" or "url"' }),
      always,
    )
    .transform(({ url, urlFile, ...rest }) => ({ ...rest, url: url ?? urlFile ?? "" }));
  return z.strictObject({
    mode: doc(
      z.enum(["apply", "review"]).prefault("apply"),
      "whether edits are sent at once or wait for approval",
    ),
    conflicts: doc(
      z.enum(["ask", "theirs", "ours"]).prefault("ask"),
      "conflicts: `ask` waits for a person's decision, `theirs` (who sent the edit) lets the edit win, `ours` the workspace; where people decide, on pages and with `edits resolve`, *theirs* is the workspace",
    ),
    labels: doc(
      z.enum(["known", "create"]).prefault("known"),
      "whether an unknown label is rejected or created",
    ),
    inbox: doc(
      path(folder).nullable().prefault(null),
      "folder whose calendar files are applied as edits",
    ),
    subscriptions: doc(
      z.array(subscription).superRefine(noneTwice("name"), always).prefault([]),
      "external calendars whose changes are applied as edits",
    ),
  });
}

function mail(folder: string) {
  return z
    .strictObject({
      from: doc(
        textSetting(readMailbox, "mailbox").prefault("Dayferry <dayferry@example.com>"),
        "sender; the mail server must accept it",
      ),
      smtpUrl: doc(
        textSetting(readSmtpSetting, "address").nullable().prefault(null),
        "the mail server, `smtp://` or `smtps://`; without one each mail is written to a file",
      ),
      smtpPassword: doc(secret(readPassword), "for the user that `smtpUrl` names"),
      smtpPasswordFile: doc(secretFileField(folder, readPassword), "a file that holds it"),
      directory: doc(
        path(folder).optional(),
        "where mails become `.eml` files",
        "`<dataDir>/mail`",
      ),
      perMinute: doc(
        z.int().min(1, "must be at least 1").prefault(20),
        "maximum number of mails per minute, for all people together",
      ),
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
    events: doc(z.boolean().prefault(true), "whether an event's own reminder is mailed"),
    milestones: doc(
      z.array(textSetting(readLength, "duration")).prefault(["P1D"]),
      "how long before a milestone people are reminded",
    ),
    tasks: doc(
      z.array(textSetting(readLength, "duration")).prefault(["P1D"]),
      "how long before a task is due people are reminded",
    ),
    overdue: doc(
      z.boolean().prefault(true),
      "whether overdue items are mailed once, the day after they were due",
    ),
    at: doc(
      textSetting(readTimeOfDay, "time of day").prefault("09:00"),
      "time of day for these mails, in the recipient's time zone",
    ),
    digest: doc(
      digest().nullable().prefault(null),
      'a mail with upcoming items: `"07:30"` every day, or once a week with a weekday',
    ),
    catchUp: doc(
      textSetting(readExactLength, "duration").prefault("PT12H"),
      "how late a missed reminder may still be sent",
    ),
  });
}

/** `"07:30"` = every day; an object also gives the weekday. */
function digest() {
  const daily = textSetting(readTimeOfDay, "time of day").transform((at) => ({
    at,
    weekday: null,
  }));
  const weekly = z.strictObject({
    at: doc(textSetting(readTimeOfDay, "time of day"), "time of day, in the recipient's time zone"),
    weekday: doc(textSetting(readWeekday, "day of the week"), "in English"),
  });
  const ways = 'a time of day such as "07:30", or { "at": "07:30", "weekday": "monday" }';
  return z.union([daily, weekly], { error: `must be ${ways}` });
}

/** A subscription for a project that is not mirrored would have nothing to compare with. */
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
