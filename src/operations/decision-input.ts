import { z } from "zod";
import { type PatchField, patchFields } from "../domain/patch.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { FieldPick, Picks } from "../edits/actions/choice.ts";
import type { UndoChoices } from "../edits/actions/undo.ts";
import { say } from "../texts/say.ts";

/** A program's decision about a conflict. */
interface SentDecision {
  readonly version: string;
  readonly picks: Picks;
  readonly dryRun: boolean;
}

const side = z.enum(["mine", "theirs"]);
/** A decision as it is requested, for programs. `readDecision` says what is wrong with one. */
export const decisionInput = z.object({
  version: z.string().describe("of the edit's choice"),
  keep: side.optional().describe("for all fields that are not named"),
  fields: z
    .partialRecord(z.enum(patchFields), z.union([side, z.object({ text: z.string() })]))
    .optional(),
  dryRun: z.boolean().optional(),
});
/** The choices of an undo, for fields that were changed since. */
export const undoChoices = z.partialRecord(z.enum(patchFields), z.enum(["back", "leave"]));

const members = Object.keys(decisionInput.shape);

/**
 * Parses `{version, keep?, fields?, dryRun?}`: `keep` is "mine" or "theirs" for all fields not named, `fields` has "mine",
 * "theirs" or `{text}` by name. Fails with a sentence that names the member; unknown members are refused.
 */
export function readDecision(body: unknown): Result<SentDecision, string> {
  if (!isObject(body)) return fail(say("decisionFault.object"));
  const sent = new Map(Object.entries(body));
  const unknown = [...sent.keys()].find((name) => !members.includes(name));
  if (unknown !== undefined) {
    return fail(say("decisionFault.unknown", { name: unknown, choices: members.join(", ") }));
  }
  const version = sent.get("version");
  if (typeof version !== "string" || version === "") {
    return fail(say("decisionFault.version"));
  }
  const keep = sent.get("keep");
  if (keep !== undefined && !isSide(keep)) return fail(say("decisionFault.keep"));
  const dryRun = sent.get("dryRun") ?? false;
  if (typeof dryRun !== "boolean") return fail(say("decisionFault.dryRun"));
  const fields = readFields(sent.get("fields") ?? {});
  if (!fields.ok) return fields;
  if (keep === undefined && Object.keys(fields.value).length === 0) {
    return fail(say("decisionFault.empty"));
  }
  return ok({ version, picks: { keep, fields: fields.value }, dryRun });
}

function readFields(sent: unknown): Result<Picks["fields"], string> {
  if (!isObject(sent)) return fail(say("decisionFault.fields"));
  const picks: Partial<Record<PatchField, FieldPick>> = {};
  for (const [name, value] of Object.entries(sent)) {
    const field = patchFields.find((known) => known === name);
    if (!field) return fail(say("decisionFault.noField", { field: name }));
    const picked = isSide(value) ? value : readText(value);
    if (picked === null) {
      return fail(say("decisionFault.text", { field: name }));
    }
    picks[field] = picked;
  }
  return ok(picks);
}

/**
 * Parses the `fields` of an undo, `{version, fields?}`: "back" or "leave" by name, for fields that somebody has changed since.
 * Fails with a sentence that names the member.
 */
export function readUndoChoices(body: unknown): Result<UndoChoices, string> {
  const { fields: sent = {} }: { readonly fields?: unknown } = Object(body);
  if (!isObject(sent)) return fail(say("decisionFault.fields"));
  const choices: Partial<Record<PatchField, "back" | "leave">> = {};
  for (const [name, value] of Object.entries(sent)) {
    const field = patchFields.find((known) => known === name);
    if (!field) return fail(say("decisionFault.noField", { field: name }));
    if (value !== "back" && value !== "leave") {
      return fail(say("decisionFault.back", { field: name }));
    }
    choices[field] = value;
  }
  return ok(choices);
}

function readText(value: unknown): { readonly text: string } | null {
  if (!isObject(value)) return null;
  const { text, ...others } = { text: undefined, ...value };
  return typeof text === "string" && Object.keys(others).length === 0 ? { text } : null;
}

const isSide = (value: unknown): value is "mine" | "theirs" =>
  value === "mine" || value === "theirs";

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
