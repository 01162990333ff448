import type { Item } from "./item.ts";

/**
 * URL of an item in the service's own pages: a template with `{project}`, `{kind}` (event, task or subtask) and `{id}`
 * filled in. Null without a template, and for an item that the service does not know yet.
 */
export function webLink(template: string | null, item: Item): string | null {
  if (template === null || item.id === null) return null;
  return template
    .replaceAll("{project}", String(item.projectId))
    .replaceAll("{kind}", item.kind)
    .replaceAll("{id}", String(item.id));
}
