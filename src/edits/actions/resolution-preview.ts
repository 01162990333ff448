import type { Edit } from "../../domain/edit.ts";
import { fieldsOf, type PatchField, pick, valuesOf } from "../../domain/patch.ts";
import { type PlainPatch, patchToPlain } from "../../domain/plain-item.ts";
import { enumerated, fieldNameOf, type Names } from "../../domain/wording.ts";
import { say } from "../../texts/say.ts";
import { valueInWords } from "../field-changes.ts";
import type { Choice, Resolution } from "./choice.ts";

/** The effect of a decision, before anything is sent. */
export interface ResolutionPreview {
  /** The state that was shown. The decision applies to that state only. */
  readonly version: string;
  readonly kind: Resolution["kind"];
  /** In one sentence. */
  readonly sentence: string;
  /** The resulting fields, unless somebody changes them first. */
  readonly fields: readonly PreviewedField[];
  /** The same as JSON, as in `patch` of an edit. */
  readonly result: PlainPatch;
  /** Values that will be lost, and whose they are. They stay visible in the edit. */
  readonly losses: readonly {
    readonly name: string;
    readonly value: string;
    readonly whose: "mine" | "theirs";
  }[];
}

interface PreviewedField {
  readonly name: string;
  /** In the workspace. */
  readonly now: string;
  readonly result: string;
  /** Whose value it is; "nobody-else": only the edit has changed it. */
  readonly whose: "mine" | "theirs" | "combined" | "nobody-else";
}

export function previewOf(
  edit: Edit,
  about: { readonly choice: Choice; readonly resolution: Resolution; readonly names: Names },
): ResolutionPreview {
  const { choice, resolution, names } = about;
  const common = { version: choice.version, kind: resolution.kind };
  const said = (field: PatchField, value: unknown) => valueInWords({ field, value }, names);
  const lost = (field: PatchField, value: unknown, whose: "mine" | "theirs") => ({
    name: fieldNameOf(field),
    value: said(field, value),
    whose,
  });
  if (choice.kind !== "fields") {
    const isMine = resolution.kind === "deletes" || resolution.kind === "revives";
    const given = choice.kind === "deletion" && isMine ? choice.crossed : [];
    const losses = given.map(({ field, ours }) => lost(field, ours, "theirs"));
    const sentence = wholeSentence(choice.kind, isMine);
    return { ...common, sentence, fields: [], result: {}, losses };
  }
  const { present, crossed } = choice;
  const ours = valuesOf(present);
  const decided = "conflicts" in resolution ? resolution.conflicts : [];
  const decisionOn = (field: PatchField) => decided.findLast((one) => one.field === field);
  const sent = resolution.kind === "sends" ? resolution.patch : {};
  const shown = [...new Set([...crossed.map(({ field }) => field), ...fieldsOf(sent)])];
  const result = patchToPlain(pick({ ...ours, ...sent }, shown));
  const now = patchToPlain(ours);
  const fields = shown.map((field): PreviewedField => {
    const isCrossed = crossed.some((one) => one.field === field);
    const decision = decisionOn(field);
    const ofCrossed = decision?.taken === "ours" ? "theirs" : "mine";
    const whose = decision?.combined === undefined ? ofCrossed : "combined";
    return {
      name: fieldNameOf(field),
      now: said(field, now[field] ?? null),
      result: said(field, result[field] ?? null),
      whose: isCrossed ? whose : "nobody-else",
    };
  });
  const losses = crossed.flatMap(({ field, ours: there, theirs }) => {
    const decision = decisionOn(field);
    const [mine, other] = [lost(field, theirs, "mine"), lost(field, there, "theirs")];
    if (decision?.combined !== undefined) return [mine, other];
    return [decision?.taken === "ours" ? mine : other];
  });
  const sentence = fieldSentence(edit, fields, resolution.kind);
  return { ...common, sentence, fields, result, losses };
}

function wholeSentence(kind: "deletion" | "revival", isMine: boolean): string {
  if (kind === "deletion") return say(isMine ? "result.deleted" : "result.kept");
  return say(isMine ? "result.recreated" : "result.staysDeleted");
}

function fieldSentence(
  { newLabels }: Edit,
  fields: readonly PreviewedField[],
  kind: Resolution["kind"],
): string {
  if (kind === "yields") return say("result.yields");
  const namesOf = (isMeant: (field: PreviewedField) => boolean) =>
    fields.filter(isMeant).map(({ name }) => name);
  const changed = namesOf(({ now, result }) => now !== result);
  const overwritten = namesOf(({ whose }) => whose === "mine" || whose === "combined");
  const kept = namesOf(({ whose }) => whose === "theirs");
  const parts = [
    changed.length > 0 ? say("result.changes", { fields: enumerated(changed) }) : null,
    overwritten.length > 0 ? say("result.overwrites", { fields: enumerated(overwritten) }) : null,
    kept.length > 0 ? say("result.leaves", { fields: enumerated(kept) }) : null,
    newLabels.length > 0 ? say("result.adds", { labels: enumerated(newLabels) }) : null,
  ].filter((part) => part !== null);
  return say("result.it", { parts: enumerated(parts) });
}
