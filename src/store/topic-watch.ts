import type { StoreDeps } from "./steady-database.ts";

/** What an open page may show, as far as a change of it is news. */
export const topics = ["edits", "feeds", "mirror", "mail"] as const;
export type Topic = (typeof topics)[number];

/** Tells which part of what is kept has just been written. */
export interface TopicWatch {
  /**
   * Calls the listener at each write, inside its transaction: it may only take note. Steps that are undone are told as well.
   * Nothing is watched, and no write costs anything, before somebody has asked.
   */
  follow(listener: (topic: Topic) => void): void;
}

/** By topic: a table, and the writes of it that are news. A poll that found nothing new is none. */
const news: Readonly<
  Record<Topic, readonly (readonly [table: string, writes: readonly string[]])[]>
> = {
  edits: [
    ["edits", ["INSERT", "UPDATE", "DELETE"]],
    ["edit_extras", ["INSERT", "UPDATE"]],
  ],
  feeds: [
    ["feeds", ["INSERT", "UPDATE", "DELETE"]],
    ["app_passwords", ["INSERT", "UPDATE", "DELETE"]],
  ],
  mirror: [
    ["changes", ["INSERT"]],
    ["brakes", ["INSERT", "UPDATE", "DELETE"]],
    ["sources", ["UPDATE OF failure"]],
    ["subscriptions", ["INSERT", "UPDATE OF problem, changed_at"]],
    ["inbox_files", ["INSERT", "UPDATE"]],
  ],
  mail: [
    ["mails", ["INSERT", "UPDATE"]],
    ["notices", ["INSERT", "UPDATE"]],
    ["mail_choices", ["INSERT", "UPDATE", "DELETE"]],
  ],
};

/** Triggers of this connection alone, which makes every write: nothing of them is in the database. */
export function createTopicWatch({ db }: StoreDeps): TopicWatch {
  const listeners: ((topic: Topic) => void)[] = [];

  function install(): void {
    for (const topic of topics) {
      db.function(`note_${topic}`, () => {
        for (const listener of listeners) listener(topic);
        return null;
      });
      for (const [table, writes] of news[topic]) {
        for (const [index, write] of writes.entries()) {
          db.exec(
            `CREATE TEMP TRIGGER note_${table}_${index} AFTER ${write} ON main.${table}${onlyWhere(table)}
             BEGIN SELECT note_${topic}(); END`,
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
