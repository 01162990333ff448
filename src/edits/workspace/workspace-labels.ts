import { ok } from "../../domain/result.ts";
import type { WorkspaceDeps, WorkspaceDesk } from "./workspace-desk.ts";
import { callOf, failed, unfit, unknown } from "./workspace-hindrance.ts";

/** The account's labels. */
export function createLabelWork({ store, upstream }: WorkspaceDeps): WorkspaceDesk["labels"] {
  const { directory } = store;
  const nameless = unfit("a label needs a name");
  return {
    async list(by) {
      const list = await upstream.labels.list(callOf(by));
      if (!list.ok) return failed(list.failure);
      directory.putLabels(list.value.items, list.value.problems.length === 0);
      return ok(list.value.items);
    },
    async create(name, by) {
      if (name.trim() === "") return nameless;
      const made = await upstream.labels.create({ name }, callOf(by));
      if (!made.ok) return failed(made.failure);
      directory.putLabels([made.value], false);
      return made;
    },
    async rename(label, by) {
      if (label.name.trim() === "") return nameless;
      const renamed = await upstream.labels.rename(label, callOf(by));
      if (!renamed.ok) return failed(renamed.failure);
      directory.putLabels([renamed.value], false);
      return renamed;
    },
    async delete(id, by) {
      if (!directory.labels().some((label) => label.id === id)) {
        return unknown(`there is no label ${id}`);
      }
      const deleted = await upstream.labels.delete(id, callOf(by));
      if (!deleted.ok) return failed(deleted.failure);
      const others = directory.labels().filter((label) => label.id !== id);
      directory.putLabels(others, true);
      return ok(null);
    },
  };
}
