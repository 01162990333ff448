import type { PersonId } from "../domain/ids.ts";
import { programName } from "../domain/program-name.ts";
import type { Store } from "../store/store.ts";

/** What stops working when a person's app password ends. JSON-serializable. */
export interface PasswordUse {
  readonly hasPassword: boolean;
  /** Calendar programs that have edited with this password or an earlier one, most recently used first. */
  readonly programs: readonly { readonly name: string; readonly at: Temporal.Instant }[];
  /** Number of browsers the person is logged in with. */
  readonly logIns: number;
}

export function passwordUse(
  person: PersonId,
  { appPasswords, editSearch, logIns }: Pick<Store, "appPasswords" | "editSearch" | "logIns">,
): PasswordUse {
  const used = new Map<string, Temporal.Instant>();
  for (const { agent, at } of editSearch.programsOf(person)) {
    const name = programName(agent);
    if (name !== null && !used.has(name)) used.set(name, at);
  }
  return {
    hasPassword: appPasswords.get(person) !== null,
    programs: [...used].map(([name, at]) => ({ name, at })),
    logIns: logIns.of(person).length,
  };
}
