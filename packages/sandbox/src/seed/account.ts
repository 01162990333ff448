import { createHash } from "node:crypto";
import type { SeedWriter } from "./seed-writer.ts";

/** The people of every seeded workspace, by first name. */
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

/** The labels of the account, by name. */
type SeedLabels = Readonly<Record<"urgent" | "design" | "client" | "bug" | "idea", number>>;

/** Shared by the hand-written projects. */
export interface SeedAccount {
  readonly people: SeedPeople;
  readonly labels: SeedLabels;
}

/** Writes the people; each key is derived from the seed, so that a workspace keeps its keys. */
export function seedPeople(writer: SeedWriter, seed: number): SeedPeople {
  const base = { suspended: false, role: "member" } as const;
  const write = (first: string, given: Partial<Parameters<SeedWriter["person"]>[0]>): number => {
    const person = { ...base, firstName: first, lastName: "", title: "", timezone: 28, ...given };
    const email = `${first.toLowerCase()}@example.com`;
    return writer.person({ ...person, email, apiKey: given.suspended ? null : keyOf(seed, email) })
      .id;
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

/** Writes the labels. */
export function seedLabels(writer: SeedWriter): SeedLabels {
  return {
    urgent: writer.label("urgent", "#d9534f"),
    design: writer.label("design", "#5bc0de"),
    client: writer.label("waiting for client", "#f0ad4e"),
    bug: writer.label("bug", "#8d6e63"),
    idea: writer.label("idea 💡", "#7e57c2"),
  };
}

function keyOf(seed: number, email: string): string {
  const hash = createHash("sha256").update(`sandbox key ${seed} ${email}`).digest("hex");
  return `sandbox-${hash.slice(0, 32)}`;
}
