import type { Item } from "../domain/item.ts";
import type { Patch } from "../domain/patch.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Ask, Asker } from "./asker.ts";
import type { Call } from "./send-request.ts";
import type { ListReader, ReadIssues, WriteBeingAnswered } from "./wire.ts";

/** One kind of element below a URL of the service: how it is named and parsed. */
interface ElementKind<Place, Value> {
  /** For problems, as "task". */
  readonly kind: string;
  readonly pathOf: (place: Place) => string;
  /** Restricts the list; everything by default. */
  readonly queryOf?: (place: Place) => NonNullable<Ask["query"]>;
  /** The list in words, for problems, as "project 7, list 9". */
  readonly whereOf: (place: Place) => string;
  /** `written`: the write being answered. */
  readonly read: (
    place: Place,
    written?: WriteBeingAnswered,
  ) => (raw: unknown, issues?: ReadIssues) => Result<Value, string>;
  /** Values that the list sets for all its elements. */
  readonly listed?: (place: Place) => Partial<Value>;
}

/** A write of an element: its body, and the values that it is to have afterwards. */
interface Write<Place> {
  readonly place: Place;
  readonly json: unknown;
  readonly patch?: Patch;
}

/** The requests that all kinds of elements share, at `/…` for the list and `/…/<id>` for an element. */
export function elementCalls<Place, Value extends { readonly id: number | null }>(
  asker: Asker,
  { kind, pathOf, queryOf, whereOf, read, listed }: ElementKind<Place, Value>,
) {
  type Element = Place & { readonly id: number };
  const pathTo = (place: Element) => `${pathOf(place)}/${place.id}`;
  /** An answer about another element, as from a confused cache, is invalid. */
  const readThis = (place: Element, written?: WriteBeingAnswered) => (raw: unknown) => {
    const element = read(place, written)(raw);
    if (!element.ok || element.value.id === place.id) return element;
    return fail(`it is about the ${kind} ${element.value.id}`);
  };
  const listAt = (place: Place): { readonly ask: Ask; readonly list: ListReader<Value> } => {
    const readOne = read(place);
    return {
      ask: { method: "GET", path: pathOf(place), query: queryOf?.(place) ?? {} },
      list: {
        where: whereOf(place),
        kind,
        read: (raw, issues) => {
          const element = readOne(raw, issues);
          return element.ok ? ok({ ...element.value, ...listed?.(place) }) : element;
        },
        keyOf: ({ id }) => id ?? 0,
      },
    };
  };
  return {
    list: (place: Place, call: Call) => asker.many(listAt(place), call),
    /** The list, not parsed yet. */
    listing: (place: Place, call: Call) => asker.listing(listAt(place), call),
    get: (place: Element, call: Call) =>
      asker.one({ ask: { method: "GET", path: pathTo(place) }, read: readThis(place) }, call),
    create: ({ place, json, patch = {} }: Write<Place>, call: Call) => {
      const ask = { method: "POST", path: pathOf(place), json } as const;
      return asker.one({ ask, read: read(place, { patch, isNew: true }) }, call);
    },
    update: ({ place, json, patch = {} }: Write<Element>, call: Call) => {
      const ask = { method: "PUT", path: pathTo(place), json } as const;
      return asker.one({ ask, read: readThis(place, { patch, isNew: false }) }, call);
    },
    delete: (place: Element, call: Call) =>
      asker.none({ method: "DELETE", path: pathTo(place), gone: "done" }, call),
  };
}

interface ItemCallKind<Place, Value, More> extends ElementKind<Place, Value> {
  /** The body of a creation or an update; never with `completed`. */
  readonly write: (
    wish: More & { readonly patch: Patch },
    mode: "create" | "update",
  ) => Record<string, unknown>;
}

/** The requests of events, tasks and subtasks. Completing and reopening are separate requests. */
export function itemCalls<Place, Value extends Item, More = unknown>(
  asker: Asker,
  { write, ...kind }: ItemCallKind<Place, Value, More>,
) {
  const calls = elementCalls(asker, kind);
  type Element = Place & { readonly id: number };
  return {
    ...calls,
    create: (wish: Place & More & { readonly patch: Patch }, call: Call) =>
      calls.create({ place: wish, json: write(wish, "create"), patch: wish.patch }, call),
    update: (wish: Element & More & { readonly patch: Patch }, call: Call) =>
      calls.update({ place: wish, json: write(wish, "update"), patch: wish.patch }, call),
    complete: (wish: Element & { readonly completed: boolean }, call: Call) => {
      const { completed } = wish;
      return calls.update({ place: wish, json: { completed }, patch: { completed } }, call);
    },
  };
}
