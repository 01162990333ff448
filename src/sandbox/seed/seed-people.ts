import { createHash } from "node:crypto";
import type { SeedWriter } from "./seed-writer.ts";

/** The people of every seeded workspace, by what they are good for in its story. */
export interface SeedPeople {
  /** Owner of the account: sees everything. */
  readonly ana: number;
  readonly ben: number;
  readonly chiara: number;
  readonly davit: number;
  readonly elif: number;
  /** A client: may read, never write. */
  readonly farid: number;
  /** Suspended, without a key. */
  readonly greta: number;
}

/** Writes the people; each key is derived from the seed, so that a workspace keeps its keys. */
export function seedPeople(pen: SeedWriter, seed: number): SeedPeople {
  const base = { suspended: false, role: "member" } as const;
  const write = (first: string, given: Partial<Parameters<SeedWriter["person"]>[0]>): number => {
    const person = { ...base, firstName: first, lastName: "", title: "", timezone: 28, ...given };
    const email = `${first.toLowerCase()}@example.com`;
    return pen.person({ ...person, email, apiKey: given.suspended ? null : keyOf(seed, email) }).id;
  };
  return {
    ana: write("Ana", { lastName: "Reis", title: "Studio lead", timezone: 30, role: "owner" }),
    ben: write("Ben", { lastName: "Okafor", title: "Developer" }),
    chiara: write("Chiara", { lastName: "Lindqvist", title: "Designer" }),
    davit: write("Davit", { lastName: "בן־עמי", title: "Producer", timezone: 41 }),
    elif: write("Elif", { lastName: "Yıldız", title: "QA engineer", timezone: 43 }),
    farid: write("Farid", { lastName: "حداد", title: "Client", timezone: 33, role: "client" }),
    greta: write("Greta", { lastName: "O'Brien, Jr.", title: "Freelancer", suspended: true }),
  };
}

function keyOf(seed: number, email: string): string {
  const hash = createHash("sha256").update(`sandbox key ${seed} ${email}`).digest("hex");
  return `sandbox-${hash.slice(0, 32)}`;
}
