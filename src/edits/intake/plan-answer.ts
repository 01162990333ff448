import type { EditId } from "../../domain/ids.ts";
import { unreachable } from "../../domain/result.ts";
import type { IncomingCalendar } from "../../ics/read/read.ts";
import type { Names } from "../../ics/text/field-words.ts";
import { changesInWords } from "../in-words.ts";
import type { Plan, PlannedAction, PlannedItem } from "./accept.ts";
import type { ItemPlan } from "./item-plan.ts";

interface Kept {
  readonly itemPlan: ItemPlan;
  readonly editId: EditId | null;
}

/** What is told of a file, item by item, with counts. */
export function answer(
  calendar: IncomingCalendar,
  { steps, names }: { readonly steps: readonly Kept[]; readonly names: Names },
): Plan {
  const items = steps.map((step) => planned(step, names));
  const count = (action: PlannedAction) => items.filter((item) => item.action === action).length;
  const refused = steps.flatMap(({ itemPlan: { incoming, refusals } }) =>
    refusals.map(({ line, code, message }) => ({ line, uid: incoming.uid, code, message })),
  );
  return {
    kind: "plan",
    items,
    summary: {
      update: count("update"),
      create: count("create"),
      complete: count("complete"),
      reopen: count("reopen"),
      delete: count("delete"),
      unchanged: count("unchanged"),
      refused: count("refused"),
    },
    errors: [...refused, ...calendar.ignored],
  };
}

function planned({ itemPlan, editId }: Kept, names: Names): PlannedItem {
  const { incoming, kind, title, changes, refusals, notes } = itemPlan;
  return {
    uid: incoming.uid,
    kind,
    action: actionOf(itemPlan),
    title,
    changes,
    words: changesInWords(changes, names),
    problems: [...refusals, ...notes].map(({ line, code, message }) => ({ line, code, message })),
    editId,
  };
}

function actionOf({ ending }: ItemPlan): PlannedAction {
  switch (ending.kind) {
    case "unchanged":
    case "refused":
      return ending.kind;
    case "waits":
      return ending.action;
    case "edit":
      return ending.edit.action;
    default:
      return unreachable(ending);
  }
}
