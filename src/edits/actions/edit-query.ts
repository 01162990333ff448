import { type Channel, channels, type EditState, editStates } from "../../domain/edit.ts";
import {
  editId,
  isId,
  type PersonId,
  type ProjectId,
  personId,
  projectId,
} from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { nameKey } from "../../domain/sameness.ts";
import type { EditFilter } from "../../store/journal/edit-search.ts";
import type { Directory } from "../../store/mirror/directory.ts";
import { say } from "../../texts/say.ts";
import { quote } from "../intake/plan-part.ts";

/**
 * A search for edits as people write it, in the same form on pages, on the command line and in the API. Empty members match
 * everything.
 */
export interface EditQuery {
  /** States, or `waiting` (for a person) and `under-way`, separated by commas. */
  readonly state?: string | undefined;
  /** A number or a name, or `account`. */
  readonly person?: string | undefined;
  /** Number or title. */
  readonly project?: string | undefined;
  readonly channel?: string | undefined;
  /** UID, or a part of the title. */
  readonly item?: string | undefined;
  /** A date, from its start in the reader's zone, or a moment. */
  readonly since?: string | undefined;
  /** The id of an edit: only older ones. */
  readonly before?: string | undefined;
}

/** Groups of states with one name. */
const stateWords: ReadonlyMap<string, readonly EditState[]> = new Map([
  ["waiting", ["parked", "held"]],
  ["under-way", ["pending", "claimed"]],
]);

/** Parses a search; fails with a sentence that names what is invalid. */
export function readEditQuery(
  query: EditQuery,
  { directory, zone }: { readonly directory: Directory; readonly zone: string },
): Result<EditFilter, string> {
  const faults: string[] = [];
  const read = <Value>(
    text: string | undefined,
    reader: (text: string) => Result<Value, string>,
  ): Value | undefined => {
    const said = text?.trim() ?? "";
    const value = said === "" ? null : reader(said);
    if (value && !value.ok) faults.push(value.failure);
    return value?.ok ? value.value : undefined;
  };
  const filter = {
    states: read(query.state, readStates),
    actor: read(query.person, (text) => readActor(text, directory)),
    project: read(query.project, (text) => readProject(text, directory)),
    channel: read(query.channel, readChannel),
    item: read(query.item, (text) => ok(text)),
    since: read(query.since, (text) => readSince(text, zone)),
    before: read(query.before, readBefore),
  };
  const [fault] = faults;
  return fault === undefined ? ok(filter) : fail(fault);
}

/**
 * An error for a project or person number that is unknown here; null if all are known. Call it if nothing was found, as edits
 * outlive their project and person.
 */
export function strangerIn(
  { project, actor }: EditFilter,
  directory: Pick<Directory, "project" | "personNames">,
): string | null {
  if (project !== undefined && !directory.project(project)) {
    return say("queryFault.strangerProject", { id: String(project) });
  }
  if (actor !== undefined && actor !== null && !directory.personNames().has(actor)) {
    return say("queryFault.strangerPerson", { id: String(actor) });
  }
  return null;
}

function readStates(text: string): Result<readonly EditState[], string> {
  const states: EditState[] = [];
  for (const word of text.split(",").map((part) => part.trim())) {
    const known = stateWords.get(word) ?? editStates.filter((state) => state === word);
    if (known.length === 0) {
      const words = [...editStates, ...stateWords.keys()].join(", ");
      return fail(say("queryFault.state", { text: quote(word), choices: words }));
    }
    states.push(...known);
  }
  return ok(states);
}

function readActor(text: string, directory: Directory): Result<PersonId | null, string> {
  if (text === "account") return ok(null);
  if (isId(Number(text))) return ok(personId(Number(text)));
  const named = [...directory.personNames()].filter(([, name]) => nameKey(name) === nameKey(text));
  const [first] = named;
  if (!first) return fail(say("queryFault.noPerson", { text: quote(text) }));
  return named.length > 1
    ? fail(say("queryFault.manyPeople", { count: String(named.length), text: quote(text) }))
    : ok(first[0]);
}

function readProject(text: string, directory: Directory): Result<ProjectId, string> {
  if (isId(Number(text))) return ok(projectId(Number(text)));
  const named = directory.projects().filter(({ title }) => nameKey(title) === nameKey(text));
  const [first] = named;
  if (!first) return fail(say("queryFault.noProject", { text: quote(text) }));
  return named.length > 1
    ? fail(say("queryFault.manyProjects", { count: String(named.length), text: quote(text) }))
    : ok(first.id);
}

function readChannel(text: string): Result<Channel, string> {
  const channel = channels.find((one) => one === text);
  return channel
    ? ok(channel)
    : fail(say("queryFault.channel", { text: quote(text), choices: channels.join(", ") }));
}

function readSince(text: string, zone: string): Result<Temporal.Instant, string> {
  try {
    return ok(
      /^\d{4}-\d{2}-\d{2}$/.test(text)
        ? Temporal.PlainDate.from(text).toZonedDateTime(zone).toInstant()
        : Temporal.Instant.from(text),
    );
  } catch {
    return fail(say("queryFault.since", { text: quote(text) }));
  }
}

const readBefore = (text: string) =>
  isId(Number(text))
    ? ok(editId(Number(text)))
    : fail(say("queryFault.before", { text: quote(text) }));
