import type { Access } from "./access-checks.ts";
import { stampText } from "./times.ts";
import type { WorkspaceStore } from "./workspace-store.ts";

/** What every resource of the workspace works with. */
export interface Setting {
  readonly store: WorkspaceStore;
  readonly access: Access;
  readonly clock: () => Temporal.Instant;
  /** The account's IANA zone: dates of answers are wall-clock times there. */
  readonly timeZone: string;
  /** Address under which a file's bytes can be read. */
  readonly fileUrl: (file: number, name: string) => string;
}

/** The timestamp of a change made now. */
export function stampNow(setting: Setting): string {
  return stampText(setting.clock());
}

/** The given people without those the account does not know, dropped in silence as the service does. */
export function knownPeople(setting: Setting, ids: readonly number[]): readonly number[] {
  return ids.filter((it) => setting.store.people.get(it) !== undefined);
}
