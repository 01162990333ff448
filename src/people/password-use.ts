import type { PersonId } from "../domain/ids.ts";
import { programName } from "../domain/program-name.ts";
import type { Store } from "../store/store.ts";

/** What stops when a person's app password ends; turns into JSON as it is. */
export interface PasswordUse {
  readonly hasPassword: boolean;
  /** Calendar programs that have made edits with it, or with an earlier one; the last used first. */
  readonly programs: readonly { readonly name: string; readonly at: Temporal.Instant }[];
  /** Browsers in which the person is logged in. */
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
