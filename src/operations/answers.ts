import { z } from "zod";
import { channels, editActions, editStates, parkReasons } from "../domain/edit.ts";
import { extraStates } from "../domain/edit-extra.ts";
import { feedKinds } from "../domain/feed-filter.ts";
import { hookEvents } from "../domain/hook-event.ts";
import { patchFields } from "../domain/patch.ts";

// What operations answer, in JSON. A test compares every operation's real answers with these.

const time = z.iso.datetime().describe("RFC 3339, in UTC");
const text = z.string();
const textOrNull = z.string().nullable();
const number = z.int();
const numberOrNull = z.int().nullable();
const field = z.enum(patchFields).describe("a field of an item");
const spokenKind = z.enum(["event", "milestone", "task", "subtask"]);
const values = z.record(text, z.unknown()).describe("values of an item's fields, by name");

const changeInWords = z.strictObject({ name: text, from: text, to: text });
const fieldChange = z.strictObject({ field, from: z.unknown(), to: z.unknown() });

export const feedAnswer = z.strictObject({
  id: number,
  kind: z.enum(feedKinds),
  projectId: numberOrNull,
  personId: numberOrNull,
  name: text,
  colour: textOrNull.describe('#RRGGBB, "project" for that of the project, or null'),
  shownColour: z.strictObject({ hex: text, name: text }).nullable(),
  filter: values.nullable(),
  automatic: z.boolean().describe("true for a project's default feed"),
  shows: text.describe("what the feed contains, in words"),
  url: textOrNull.describe("its address; null if it has ended"),
  createdAt: time,
  revokedAt: time.nullable(),
  lastFetch: z.strictObject({ at: time, agent: text }).nullable(),
  fetches: z.array(
    z.strictObject({
      program: text,
      agent: text,
      at: time,
      firstAt: time,
      visits: number,
      interval: textOrNull.describe("usual time between visits, as a duration of ISO 8601"),
      says: text.describe("all of it in a sentence"),
      holds: values.describe("the version in its last answer"),
    }),
  ),
  problem: textOrNull.describe("why it can show nothing; null if it can"),
  items: numberOrNull.describe("when last shown; null if it was never requested"),
  bytes: numberOrNull,
});

export const personAnswer = z.strictObject({
  id: number,
  name: text,
  email: textOrNull,
  timeZone: textOrNull.describe("IANA name; null for the account's"),
  suspended: z.boolean(),
  calendars: z.enum(["write", "read"]),
  hasPassword: z.boolean(),
  hasOwnKey: z.boolean().describe("true if edits are sent with the person's own API key"),
  login: text.describe("user name for calendar programs"),
});

export const passwordAnswer = personAnswer.extend({
  password: text.describe("shown this once"),
  url: text.describe("the CalDAV server"),
});

export const passwordUseAnswer = z.strictObject({
  hasPassword: z.boolean(),
  programs: z.array(z.strictObject({ name: text, at: time })).describe("most recently used first"),
  logIns: number.describe("browsers that are signed in"),
});

export const brakeAnswer = z.strictObject({
  source: text,
  heldAt: time,
  missing: number.describe("items that disappeared"),
  total: number,
  needsPerson: z.boolean(),
  releasedAt: time.nullable(),
});

const foundPage = z.strictObject({ name: text, about: text, url: text });
export const searchAnswer = z.strictObject({
  items: z.array(
    z.strictObject({
      uid: text,
      kind: spokenKind,
      title: text,
      project: text,
      when: textOrNull.describe("in words"),
      completed: z.boolean(),
      url: text,
    }),
  ),
  hasMoreItems: z.boolean(),
  projects: z.array(foundPage),
  people: z.array(foundPage),
  edits: z.array(foundPage),
  settings: z.array(foundPage),
});

const conflict = z.strictObject({
  field,
  base: z.unknown().describe("before"),
  ours: z.unknown().describe("in the service"),
  theirs: z.unknown().describe("in the edit"),
  taken: z.enum(["ours", "theirs"]).nullable().describe("the side that was applied"),
  by: number.optional(),
  agreed: z.literal(true).optional(),
  combined: textOrNull.optional(),
  below: z.strictObject({ id: number, title: text }).optional(),
});

const choice = z.strictObject({
  kind: z.enum(["fields", "deletion", "revival"]),
  version: text.describe("must be given with the decision"),
  fields: z.array(
    z.strictObject({
      field,
      name: text,
      before: text,
      theirs: text,
      mine: text,
      texts: z.strictObject({ theirs: text, mine: text }).nullable(),
    }),
  ),
  besides: z.array(changeInWords),
  changed: z.strictObject({ at: time, by: textOrNull }).nullable(),
});

export const editAnswer = z.strictObject({
  id: number,
  state: z.enum(editStates),
  proposed: z.boolean().describe("true if an agent made it: its editor may approve it"),
  reason: z.enum(parkReasons).nullable().describe("why it is parked"),
  channel: z.enum(channels),
  actor: numberOrNull.describe("the editor; null for the administrator"),
  program: textOrNull,
  action: z.enum(editActions),
  item: z.strictObject({
    uid: text,
    kind: spokenKind,
    id: numberOrNull,
    title: text,
    project: z.strictObject({ id: number, title: text }),
  }),
  changes: z.array(fieldChange),
  base: values.nullable().describe("what the editor last saw; null for a creation"),
  patch: values,
  newLabels: z.array(text),
  answer: values.nullable().describe("the item in the service's response"),
  conflicts: z.array(conflict),
  words: z.strictObject({
    sentence: text,
    who: text,
    did: text,
    by: textOrNull,
    standing: text,
    zone: text,
    changes: z.array(changeInWords),
    conflicts: z.array(z.strictObject({ name: text, before: text, workspace: text, edit: text })),
  }),
  conflictVersion: textOrNull,
  choice: choice.nullable(),
  ways: z.array(z.strictObject({ act: text, label: text, does: text })),
  extras: z.array(
    z.strictObject({
      kind: z.enum(["comment", "attachment", "kept"]),
      name: text,
      text: textOrNull,
      what: text,
      state: z.enum(extraStates),
      problem: textOrNull,
      id: numberOrNull,
    }),
  ),
  undoes: numberOrNull,
  attempts: number,
  problem: textOrNull,
  replaced: textOrNull,
  notBefore: time.nullable(),
  createdAt: time,
  updatedAt: time,
});

export const storyAnswer = editAnswer.extend({
  story: z.array(z.strictObject({ at: time, until: time.nullable(), times: number, what: text })),
  series: z.array(number).describe("all edits made from the same repeating item; empty for others"),
});

export const seriesUndoAnswer = z.strictObject({
  edits: z.array(editAnswer).describe("the edits that undo them, and those that were dropped"),
  left: z.array(z.strictObject({ edit: number, reason: text })).describe("not undone"),
});

export const undoPreviewAnswer = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("impossible"), reason: text }),
  z.strictObject({
    kind: z.literal("possible"),
    version: text,
    sentence: text,
    fields: z.array(z.strictObject({ name: text, now: text, back: text })),
    changedSince: z.array(
      z.strictObject({ field, name: text, was: text, now: text, by: textOrNull }),
    ),
    loss: textOrNull,
  }),
]);

export const resolutionPreviewAnswer = z.strictObject({
  version: text,
  kind: text,
  sentence: text,
  fields: z.array(
    z.strictObject({
      name: text,
      now: text,
      result: text,
      whose: z.enum(["mine", "theirs", "combined", "nobody-else"]),
    }),
  ),
  result: values,
  losses: z.array(z.strictObject({ name: text, value: text, whose: z.enum(["mine", "theirs"]) })),
});

const icsProblem = z.strictObject({
  line: numberOrNull,
  uid: textOrNull,
  code: text,
  message: text,
});
const actions = [...editActions, "unchanged", "refused"] as const;

export const planAnswer = z.strictObject({
  items: z.array(
    z.strictObject({
      uid: text,
      series: textOrNull.describe("UID of the repeating item that this is an occurrence of"),
      kind: spokenKind,
      action: z.enum(actions),
      title: text,
      changes: z.array(fieldChange),
      words: z.array(changeInWords),
      did: textOrNull,
      problems: z.array(
        z.strictObject({
          line: numberOrNull,
          property: text.optional(),
          code: text,
          message: text,
        }),
      ),
      editId: numberOrNull.describe("null for a dry run, and without an edit"),
    }),
  ),
  summary: z.record(z.enum(actions), number),
  errors: z.array(icsProblem),
  more: z.strictObject({ items: number, errors: number }).describe("how many are not listed"),
  sendingSeconds: number.describe("the least that sending the edits takes at the service's quota"),
});

export const fileAnswer = z.strictObject({
  id: number,
  projectId: number,
  folderId: number,
  name: text,
  byteSize: numberOrNull,
  fileType: textOrNull,
  url: textOrNull,
  source: textOrNull,
  creatorId: numberOrNull,
  byMe: z.boolean(),
  createdAt: time.nullable(),
  updatedAt: time.nullable(),
  proofCount: number,
  approvedCount: number,
  approvedByMe: z.boolean().nullable(),
});

export const commentAnswer = z.strictObject({
  projectId: number,
  listId: number,
  taskId: number,
  id: number,
  description: text,
  creatorId: numberOrNull,
  byMe: z.boolean(),
  createdAt: time.nullable(),
});

export const labelAnswer = z.strictObject({ id: number, name: text, color: textOrNull });

export const placedTaskAnswer = z.strictObject({
  uid: text,
  id: number,
  title: text,
  projectId: number,
  listId: number,
});

export const itemAnswer = z.strictObject({
  uid: text,
  kind: spokenKind,
  private: z.boolean(),
  pending: z.boolean().describe("true if an edit has not reached the service yet"),
  sequence: number.describe("the version"),
  project: z.strictObject({ id: number, title: text }),
  list: z.strictObject({ id: number, title: text }).nullable(),
  fields: z
    .record(text, z.union([text, z.array(text)]))
    .describe(
      "by name; days and times in the caller's zone, durations in minutes, yes or empty for a choice",
    ),
  url: text.describe("its page"),
});

export const agendaAnswer = z.strictObject({
  items: z.array(itemAnswer).describe("by day"),
  isCut: z.boolean().describe("true if there are more"),
});

export const itemEditAnswer = z.strictObject({
  edit: numberOrNull.describe("null for a dry run, and if nothing changes"),
  state: z.enum(["pending", "held"]).nullable().describe("held: a person has to approve it"),
  action: text,
  title: text,
  changes: z.array(changeInWords),
  notes: z.array(text),
  occurrences: z.array(text).describe("of a repeating item, in words"),
});

const token = { id: number, name: text, scope: z.enum(["read", "propose", "edit"]) };
export const tokenAnswer = z.strictObject({
  ...token,
  person: number,
  createdAt: time,
  usedAt: time.nullable(),
});

export const newTokenAnswer = z.strictObject({
  ...token,
  token: text.describe("shown this once"),
  url: text.describe("the MCP server"),
});

export const deliveryAnswer = z.object({
  about: z.enum(["item", "edit"]),
  subject: number.describe("number of the item on the pages, or id of the edit"),
  messageId: text.describe("the message's `id`, in angle brackets"),
  state: z.enum(["claimed", "sent", "deferred", "rejected", "dropped"]),
  attempts: number,
  claimedAt: time.describe("the last attempt"),
  settledAt: time.nullable().describe("its result"),
  notBefore: time.nullable().describe("the next attempt"),
  problem: textOrNull,
  code: numberOrNull.describe("HTTP status, if there was an answer"),
});

export const webhookAnswer = z.strictObject({
  id: z.union([number, text]).describe("its name for one from the configuration"),
  name: text,
  host: text,
  events: z.array(z.enum(hookEvents)),
  project: numberOrNull,
  person: numberOrNull,
  owner: numberOrNull.describe("the person whose it is; null for the admin"),
  by: z.enum(["person", "admin", "configuration"]),
  createdAt: time.nullable(),
  last: deliveryAnswer.nullable().describe("the last message"),
  skippedAt: time.nullable().describe("when changes were last skipped"),
});

export const newWebhookAnswer = webhookAnswer.extend({
  url: text,
  secret: text.describe("signs messages; shown this once"),
});

export const testAnswer = z.strictObject({ delivered: z.boolean(), problem: textOrNull });

export const reportListAnswer = z.array(
  z.strictObject({ name: text, about: text, takes: z.array(text).describe("its filters") }),
);

export const backupAnswer = z.strictObject({
  name: text.describe("its file name"),
  reason: text,
  madeAt: time,
  bytes: number,
});

export const statusAnswer = z.strictObject({
  state: z
    .enum(["up-to-date", "catching-up", "first-sync", "behind", "offline", "cannot-store"])
    .describe("behind: some lists are older than they should be"),
  text: text.describe("the same in a sentence"),
  syncedAt: time.nullable().describe("when the list that was synced longest ago was synced"),
  pendingEdits: number,
  waitingEdits: number.describe("edits that need a decision"),
  problems: z.array(text),
  projects: z.array(
    z.strictObject({ id: number, title: text, syncedAt: time.nullable(), failingLists: number }),
  ),
});

/** What a person sees first: whether calendars are up to date, and what waits for a decision. */
export type StatusSummary = z.input<typeof statusAnswer>;

export const statusDetailsAnswer = z.looseObject({
  version: text,
  startedAt: time,
  now: time,
  ready: z.boolean(),
  fresh: z.boolean().describe("true if everything was synced since the start"),
  timeZone: text,
});
