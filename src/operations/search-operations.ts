import { inTurns } from "@dayferry/event-loop";
import { type AgendaItem, createAgenda } from "../calendars/agenda.ts";
import { configSchema } from "../config/schema.ts";
import { knownKeys, type Setting } from "../config/settings.ts";
import { type SpokenKind, spokenKind } from "../domain/item.ts";
import { lazy } from "../domain/lazy.ts";
import { ok } from "../domain/result.ts";
import { hasWords, searchedWords } from "../domain/searched-words.ts";
import { dayInWords, spanInWords } from "../domain/wording.ts";
import type { FoundEdit } from "../edits/actions/edit-actions.ts";
import { searchAnswer } from "./answers.ts";
import { isEditOpenTo } from "./edit-operations.ts";
import { aText, type Caller, callerPerson, type OperationModules, operation } from "./operation.ts";

/** A found item. */
interface FoundItem {
  readonly uid: string;
  readonly kind: SpokenKind;
  readonly title: string;
  readonly project: string;
  /** When it takes place or is due, in the caller's zone; null without a date. */
  readonly when: string | null;
  readonly completed: boolean;
  /** Address of its page. */
  readonly url: string;
}

/** Something else with its page; `about`: a few words that tell it from others. */
interface FoundPage {
  readonly name: string;
  readonly about: string;
  readonly url: string;
}

/** Everything found for a text, best first, by kind. */
export interface SearchResults {
  readonly items: readonly FoundItem[];
  /** True if more items were found. */
  readonly hasMoreItems: boolean;
  readonly projects: readonly FoundPage[];
  readonly people: readonly FoundPage[];
  readonly edits: readonly FoundPage[];
  readonly settings: readonly FoundPage[];
}

const listed = { items: 50, others: 8 };
/** A person's own are among these. */
const searchedEdits = 200;

export const search = operation({
  name: "search",
  answer: searchAnswer,
  summary: "find items, projects, people, edits and settings by their words",
  note: "At most 50 items.",
  route: "GET /api/search",
  access: "person",
  input: { text: aText("words, or beginnings of words") },
  run: async ({ text }, context) =>
    ok(await searchAll(text, { ...context, address: (path) => `${context.baseUrl()}/${path}` })),
});

type SearchContext = Pick<
  OperationModules,
  "store" | "eventLoop" | "editActions" | "rights" | "clock"
> & {
  readonly caller: Pick<Caller, "viewer">;
  /** URL of a page, from its path without a leading slash. */
  readonly address: (path: string) => string;
};

/** Everything the caller may see that has the words of the text. */
export async function searchAll(text: string, context: SearchContext): Promise<SearchResults> {
  const { store, eventLoop, clock, address, caller } = context;
  const { viewer } = caller;
  const agenda = createAgenda(store);
  const onlooker = callerPerson(caller);
  const today = clock().toZonedDateTimeISO(viewer.zone).toPlainDate();
  const about = { onlooker, limit: listed.items, today };
  const { items, isCut } = await inTurns(agenda.search(text, about), eventLoop);
  const hasText = searchedWords(text).length > 0;
  const isFound = (...words: readonly string[]) => hasText && hasWords(words.join(" "), text);
  const page = (name: string, meaning: string, path: string): FoundPage => ({
    name,
    about: meaning,
    url: address(path),
  });
  const few = <Found>(all: readonly Found[]) => all.slice(0, listed.others);
  return {
    items: items.map((item) => ({
      ...foundItem(item, viewer.zone),
      url: address(`calendar/items/${item.key}`),
    })),
    hasMoreItems: isCut,
    projects: few(agenda.projects(onlooker).filter(({ title }) => isFound(title))).map(
      ({ id, title }) => page(title, "calendar", `calendar?project=${id}`),
    ),
    people: few(store.directory.people().filter(({ name }) => isFound(name))).map(({ id, name }) =>
      page(name, "assigned items", `calendar?person=${id}`),
    ),
    edits: few(editsWith(text, context)).map((edit) => {
      const { id, words } = edit.describe();
      return page(`${words.who} ${words.did}`, words.standing, `edits/${id}`);
    }),
    settings: few(
      settings().filter((one) => viewer.kind === "admin" && isFound(one.path, one.about)),
    ).map((one) => page(one.path, one.about.replaceAll("`", ""), "status#configuration")),
  };
}

function editsWith(text: string, context: SearchContext): readonly FoundEdit[] {
  const { editActions, caller } = context;
  if (text.trim() === "") return [];
  const query = { item: text.trim() };
  const found = editActions.find(query, { limit: searchedEdits, viewer: caller.viewer });
  return found.ok ? found.value.filter((edit) => isEditOpenTo(edit, context)) : [];
}

/** Settings with a value of their own. */
const settings = lazy((): readonly Setting[] =>
  knownKeys(configSchema("")).filter(({ type, path }) => type !== "object" && !path.includes("[]")),
);

function foundItem({ uid, item, project }: AgendaItem, zone: string): Omit<FoundItem, "url"> {
  return {
    uid,
    kind: spokenKind(item),
    title: item.title,
    project: project?.title ?? `Project ${item.projectId}`,
    when:
      item.kind === "event" ? spanInWords(item.when, zone) : item.dueOn && dayInWords(item.dueOn),
    completed: item.completed,
  };
}
