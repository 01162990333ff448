import { expect, it } from "vitest";
import { calendar } from "../edits/rig.ts";
import { command } from "../support/in-process.ts";
import { commandRig } from "./command-rig.ts";

const { place, project, owner } = commandRig();

interface Listed {
  readonly id: number;
  readonly action: string;
}

it("asks on a terminal before a destructive action, and acts only on yes", async () => {
  const installation = place({ edits: { mode: "review" } });
  const run = (
    args: readonly (string | number)[],
    { typed = null, input = "" }: { readonly typed?: string | null; readonly input?: string } = {},
  ) => command(args.map(String), { installation, typed, input });
  const list = async (...args: string[]): Promise<readonly Listed[]> =>
    JSON.parse((await run([...args, "--json"])).stdout);

  await run(["sync"]);
  await run(["people", "set-password", owner()]);
  const file = (...lines: string[]) =>
    calendar(
      "BEGIN:VEVENT",
      "UID:new@example.com",
      "DTSTART:20270611T090000Z",
      ...lines,
      "END:VEVENT",
    );
  await run(["apply", "-", "--project", project()], { input: file("SUMMARY:Party") });
  const [feed] = await list("feeds", "list");
  const [creation] = await list("edits", "list");

  const cases: readonly (readonly [args: readonly (string | number)[], question: string])[] = [
    [["feeds", "rotate", feed?.id ?? 0], "No program has fetched it yet. The old address stops"],
    [
      ["feeds", "revoke", feed?.id ?? 0],
      "No program has fetched it yet. Its address stops working",
    ],
    [["people", "set-password", owner()], "No program has used it for an edit yet."],
    [["people", "clear-password", owner()], "calendar programs stop syncing"],
    [["edits", "discard", creation?.id ?? 0], "Party"],
  ];
  for (const [args, question] of cases) {
    const refused = await run(args, { typed: "" });
    expect([refused.code, refused.stdout], args.join(" ")).toEqual([1, ""]);
    expect(refused.stderr).toContain(question);
    expect(refused.stderr).toMatch(/\? \[y\/N\] nothing was done\n$/);
  }
  for (const [args] of cases) {
    const { code, stderr } = await run(args, { typed: " Yes " });
    expect([code, args.join(" ")], stderr).toEqual([0, args.join(" ")]);
  }
  // New things take nothing away; scripts, and --yes, are not asked.
  for (const typed of [null, "n"]) {
    const given = await run(["people", "set-password", owner()], { typed });
    expect(given.code).toBe(0);
    const args = ["people", "clear-password", owner(), ...(typed === null ? [] : ["--yes"])];
    expect((await run(args, { typed })).stderr).toBe(
      `the app password of person ${owner()} has ended\n`,
    );
  }
});
