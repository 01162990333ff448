import type { PersonId } from "../domain/ids.ts";
import type { CollectionName } from "../domain/item.ts";
import { audienceIn } from "./rows/item-rows.ts";
import type { StoreDeps } from "./steady-database.ts";

/** What an open page may show, as far as a change of it is news. */
export const topics = ["edits", "feeds", "mirror", "mail"] as const;
export type Topic = (typeof topics)[number];

/** A write, and whom it concerns beside the admin. */
export interface TopicNews {
  readonly topic: Topic;
  /** Null: everybody. */
  readonly people: readonly PersonId[] | null;
  /** Of those, the ones who see this collection; null: all of them. */
  readonly collection: CollectionName | null;
}

/** Tells which part of what is kept has just been written. */
export interface TopicWatch {
  /**
   * Calls the listener at each write, inside its transaction: it may only take note. Steps that are undone are told as well.
   * Nothing is watched, and no write costs anything, before somebody has asked.
   */
  follow(listener: (news: TopicNews) => void): void;
}

/** A table, the writes of it that are news, and the people whom a written ROW concerns as a JSON array in SQL. */
type Watched = readonly [table: string, writes: readonly string[], people: string];

const everybody = "NULL";
const nobody = "'[]'";
const editor = "(SELECT json_array(actor) FROM edits WHERE id = ROW.edit)";

/** A poll that found nothing new is no news. */
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
    ["mails", ["INSERT", "UPDATE"], "json_array(ROW.person)"],
    ["notices", ["INSERT", "UPDATE"], editor],
    ["mail_choices", ["INSERT", "UPDATE", "DELETE"], "json_array(ROW.person)"],
  ],
};

/** Triggers of this connection alone, which makes every write: nothing of them is in the database. */
export function createTopicWatch({ db }: StoreDeps): TopicWatch {
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
    follow(listener) {
      if (listeners.length === 0) install();
      listeners.push(listener);
    },
  };
}

/** Every poll writes this column; a failure is news when it comes and when it goes. */
const onlyWhere = (table: string): string =>
  table === "sources" ? " WHEN (OLD.failure IS NULL) <> (NEW.failure IS NULL)" : "";
