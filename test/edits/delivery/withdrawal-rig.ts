import { readCalendar } from "@dayferry/ical";
import type { ListId } from "../../../src/domain/ids.ts";
import type { Item } from "../../../src/domain/item.ts";
import { createAcceptItems } from "../../../src/edits/intake/accept.ts";
import { worked } from "../../contract/pair.ts";
import { aTodolist, zone } from "../../support/items.ts";
import { calendar, vevent, vtodo } from "../rig.ts";
import { type DrainSetting, drainRig, intakeOf } from "./drain-rig.ts";

export const above = "above@example.com";
export const uid = "item@example.com";

const day = "DTSTART;VALUE=DATE:20261224";

/** Every kind of item, each as a program writes it. */
export const written = {
  event: (title: string, of = uid) => vevent(of, `SUMMARY:${title}`, day),
  milestone: (title: string, of = uid) =>
    vevent(of, `SUMMARY:${title}`, "CATEGORIES:Milestone", day),
  task: (title: string, of = uid) => vtodo(of, `SUMMARY:${title}`, "DUE;VALUE=DATE:20261224"),
  subtask: (title: string, of = uid) => vtodo(of, `SUMMARY:${title}`, `RELATED-TO:${above}`),
} as const;
export type Written = keyof typeof written;

/** Two todolists, and a program that puts and deletes items that the service may not have yet. */
export async function withdrawalRig(setting: DrainSetting = {}) {
  const rig = await drainRig(setting);
  const { store, owner, project, list, otherList } = rig;
  const inProject = { projectId: project };
  store.directory.putTodolists(
    project,
    [aTodolist(list, inProject), aTodolist(otherList, inProject)],
    true,
  );
  const acceptItems = createAcceptItems(intakeOf(rig, setting.mode));
  function take(lines: readonly string[], listId: ListId) {
    const read = readCalendar(Buffer.from(calendar(...lines)), { zone });
    if (!read.ok) throw new Error(JSON.stringify(read.failure));
    const from = { channel: "caldav", actor: owner, projectId: project } as const;
    const [item] = read.value.items;
    const where = { ...from, listId: item?.component === "VEVENT" ? null : listId };
    const common = { calendar: read.value, bases: new Map(), dryRun: false, recreate: true };
    const taken = acceptItems({ ...common, ...where });
    if (taken.kind === "refused") throw new Error(JSON.stringify(taken.errors));
    return taken.items[0]?.action ?? "none";
  }
  const call = { priority: "sweep" } as const;
  return {
    ...rig,
    put: (item: string, where: "here" | "there" = "here") =>
      take([item], where === "here" ? list : otherList),
    remove: (item: string) => take(["METHOD:CANCEL", item], list),
    isShown: (one: string) => store.view.findUid(one) !== null,
    /** Titles of everything in the service, in any place. */
    async titles() {
      const { events, tasks, subtasks } = rig.upstream;
      const found: Item[] = [
        ...worked(await events.list({ ...inProject, view: "all" }, call)).items,
      ];
      for (const listId of [list, otherList]) {
        const { items } = worked(await tasks.list({ ...inProject, listId }, call));
        found.push(...items);
        for (const { id } of items) {
          if (id === null) throw new Error("the service gave no id");
          const below = { ...inProject, listId, taskId: id };
          found.push(...worked(await subtasks.list(below, call)).items);
        }
      }
      return found.map(({ title }) => title).toSorted();
    },
  };
}
