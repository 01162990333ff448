import { z } from "zod";
import { type LabelId, labelId } from "../../domain/ids.ts";
import type { Label } from "../../domain/item.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { type Asker, elementCalls } from "../asker.ts";
import type { Failure } from "../failure.ts";
import type { Call } from "../send-request.ts";
import type { Snapshot } from "../wire.ts";
import * as wire from "../wire.ts";

type One = Promise<Result<Label, Failure>>;

/** Labels of the whole account. Their colour can be read, but not set. Source: service-api.md, Labels. */
export interface Labels {
  list(call: Call): Promise<Result<Snapshot<Label>, Failure>>;
  get(id: LabelId, call: Call): One;
  create(wish: { readonly name: string }, call: Call): One;
  rename(wish: { readonly id: LabelId; readonly name: string }, call: Call): One;
  delete(id: LabelId, call: Call): Promise<Result<null, Failure>>;
}

export function createLabels(asker: Asker): Labels {
  const calls = elementCalls<unknown, Label>(asker, {
    kind: "label",
    pathOf: () => "/labels",
    whereOf: () => "the account",
    read: () => readLabel,
  });
  return {
    list: (call) => calls.list(null, call),
    get: (id, call) => calls.get({ id }, call),
    create: ({ name }, call) => calls.create({ place: null, json: { name } }, call),
    rename: ({ id, name }, call) => calls.update({ place: { id }, json: { name } }, call),
    delete: (id, call) => calls.delete({ id }, call),
  };
}

function readLabel(raw: unknown): Result<Label, string> {
  const read = wire.readElement(labelShape, raw);
  if (!read.ok) return read;
  const { id, fields } = read.value;
  const name = wire.heading(fields.name);
  if (name === null) return fail("name: a label without one says nothing");
  return ok({ id: labelId(id), name, color: wire.text(fields.color) });
}

const labelShape = z.object({ id: wire.field, name: wire.field, color: wire.field });
