import type { Edit } from "../../domain/edit.ts";
import { fieldsOf, type Patch, pick, valuesOf } from "../../domain/patch.ts";
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
  const { version } = choice;
  const common = { version, kind: resolution.kind };
  const said = (field: keyof Patch, value: unknown) => valueInWords({ field, value }, names);
  if (choice.kind !== "fields") {
    const isMine = resolution.kind === "deletes" || resolution.kind === "revives";
    const losses =
      choice.kind === "deletion" && isMine
        ? choice.crossed.map(({ field, ours }) => {
            return { name: fieldNameOf(field), value: said(field, ours), whose: "theirs" as const };
          })
        : [];
    return {
      ...common,
      sentence: wholeSentence(choice.kind, isMine),
      fields: [],
      result: {},
      losses,
    };
  }
  const { present, crossed } = choice;
  const ours = valuesOf(present);
  const decided = "conflicts" in resolution ? resolution.conflicts : [];
  const sent = resolution.kind === "sends" ? resolution.patch : {};
  const shown = [...new Set([...crossed.map(({ field }) => field), ...fieldsOf(sent)])];
  const after = { ...ours, ...sent };
  const result = patchToPlain(pick(after, shown));
  const now = patchToPlain(ours);
  const fields = shown.map((field): PreviewedField => {
    const isCrossed = crossed.some((one) => one.field === field);
    const decision = decided.findLast((one) => one.field === field);
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
    const decision = decided.findLast((one) => one.field === field);
    const lostMine = {
      name: fieldNameOf(field),
      value: said(field, theirs),
      whose: "mine" as const,
    };
    const lostTheirs = {
      name: fieldNameOf(field),
      value: said(field, there),
      whose: "theirs" as const,
    };
    if (decision?.combined !== undefined) return [lostMine, lostTheirs];
    return [decision?.taken === "ours" ? lostMine : lostTheirs];
  });
  return {
    ...common,
    sentence: fieldSentence(edit, fields, resolution.kind),
    fields,
    result,
    losses,
  };
}

function wholeSentence(kind: "deletion" | "revival", isMine: boolean): string {
  if (kind === "deletion") {
    return isMine ? say("result.deleted") : say("result.kept");
  }
  return isMine ? say("result.recreated") : say("result.staysDeleted");
}

function fieldSentence(
  edit: Edit,
  fields: readonly PreviewedField[],
  kind: Resolution["kind"],
): string {
  if (kind === "yields") return say("result.yields");
  const changed = fields.filter(({ now, result }) => now !== result);
  const kept = fields.filter(({ whose }) => whose === "theirs");
  const overwritten = fields.filter(({ whose }) => whose === "mine" || whose === "combined");
  const parts = [
    ...(changed.length > 0
      ? [say("result.changes", { fields: enumerated(changed.map(({ name }) => name)) })]
      : []),
    ...(overwritten.length > 0
      ? [say("result.overwrites", { fields: enumerated(overwritten.map(({ name }) => name)) })]
      : []),
    ...(kept.length > 0
      ? [say("result.leaves", { fields: enumerated(kept.map(({ name }) => name)) })]
      : []),
    ...(edit.newLabels.length > 0
      ? [say("result.adds", { labels: enumerated(edit.newLabels) })]
      : []),
  ];
  return say("result.it", { parts: enumerated(parts) });
}
