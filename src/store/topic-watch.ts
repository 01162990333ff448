import type { PersonId } from "../domain/ids.ts";
import type { CollectionName } from "../domain/item.ts";
import { audienceIn } from "./rows/item-rows.ts";
import type { StoreDeps } from "./steady-database.ts";

/** Data that an open page may show and that can change. */
export const topics = ["edits", "feeds", "mirror", "mail"] as const;
export type Topic = (typeof topics)[number];

/** A write, and the people it concerns besides the admin. */
export interface TopicNews {
  readonly topic: Topic;
  /** Null: everyone. */
  readonly people: readonly PersonId[] | null;
  /** Of those, only people who see this collection; null: all of them. */
  readonly collection: CollectionName | null;
}

/** Reports which part of the data was just written. */
export type TopicWatch = ReturnType<typeof createTopicWatch>;

/** A table, its relevant writes, and SQL over the written ROW for the people concerned, as a JSON array. */
type Watched = readonly [table: string, writes: readonly string[], people: string];

const everybody = "NULL";
const nobody = "'[]'";
const editor = "(SELECT json_array(actor) FROM edits WHERE id = ROW.edit)";

/** Polls without changes are not reported. */
const watched: Readonly<Record<Topic, readonly Watched[]>> = {
  edits: [
    ["edits", ["INSERT", "UPDATE", "DELETE"], "json_array(ROW.actor)"],
    ["edit_extras", ["INSERT", "UPDATE"], editor],
  ],
  feeds: [
    ["feeds", ["INSERT", "UPDATE", "DELETE"], "json_array(ROW.person_id)"],
    ["app_passwords", ["INSERT", "UPDATE", "DELETE"], "json_array(ROW.person)"],
  ],
  mirror: [
    ["changes", ["INSERT"], "ROW.audience"],
    ["brakes", ["INSERT", "UPDATE", "DELETE"], nobody],
    ["sources", ["UPDATE OF failure"], everybody],
    ["subscriptions", ["INSERT", "UPDATE OF problem, changed_at"], nobody],
    ["inbox_files", ["INSERT", "UPDATE"], nobody],
  ],
  mail: [
    ["outbox", ["INSERT", "UPDATE"], "json_array(ROW.person)"],
    ["mail_choices", ["INSERT", "UPDATE", "DELETE"], "json_array(ROW.person)"],
  ],
};

/** Temporary triggers of this connection, which makes every write. They are not stored in the database. */
export function createTopicWatch({ db }: StoreDeps) {
  const listeners: ((news: TopicNews) => void)[] = [];

  function install(): void {
    for (const topic of topics) {
      db.function(`note_${topic}`, (people: string | null, collection: CollectionName | null) => {
        const news = { topic, people: audienceIn(people), collection };
        for (const listener of listeners) listener(news);
        return null;
      });
      for (const [table, writes, people] of watched[topic]) {
        const collection = table === "changes" ? "NEW.collection" : "NULL";
        for (const [index, write] of writes.entries()) {
          const whom = people.replace("ROW", write === "DELETE" ? "OLD" : "NEW");
          db.exec(
            `CREATE TEMP TRIGGER note_${table}_${index} AFTER ${write} ON main.${table}${onlyWhere(table)}
             BEGIN SELECT note_${topic}(${whom}, ${collection}); END`,
          );
        }
      }
    }
  }

  return {
    /**
     * Calls the listener at each write, inside its transaction, so it may only take note. Rolled-back writes are reported too.
     * Nothing is watched, and writes cost nothing, before the first call.
     */
    follow(listener: (news: TopicNews) => void): void {
      if (listeners.length === 0) install();
      listeners.push(listener);
    },
  };
}

/** Every poll writes this column; only the start and the end of a failure are reported. */
const onlyWhere = (table: string): string =>
  table === "sources" ? " WHEN (OLD.failure IS NULL) <> (NEW.failure IS NULL)" : "";
