import { z } from "zod";
import { type LabelId, labelId } from "../../domain/ids.ts";
import type { Label } from "../../domain/item.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { Asker } from "../asker.ts";
import type { Call } from "../client.ts";
import type { Failure } from "../failure.ts";
import type { Snapshot } from "../snapshot.ts";
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
  return {
    list: (call) =>
      asker.many(
        {
          ask: { method: "GET", path: "/labels" },
          reading: {
            where: "the account",
            kind: "label",
            read: readLabel,
            keyOf: (label) => label.id,
          },
        },
        call,
      ),
    get: (id, call) =>
      asker.one({ ask: { method: "GET", path: `/labels/${id}` }, read: readLabel }, call),
    create: ({ name }, call) =>
      asker.one(
        { ask: { method: "POST", path: "/labels", json: { name } }, read: readLabel },
        call,
      ),
    rename: ({ id, name }, call) => {
      const ask = { method: "PUT", path: `/labels/${id}`, json: { name } } as const;
      return asker.one({ ask, read: readLabel }, call);
    },
    delete: (id, call) =>
      asker.none({ method: "DELETE", path: `/labels/${id}`, gone: "done" }, call),
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
