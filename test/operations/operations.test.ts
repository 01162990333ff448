import { describe, expect, it } from "vitest";
import { commandTree } from "../../scripts/man-page.ts";
import { allCommands, outlineOf } from "../../src/cli/outline.ts";
import { createAccess } from "../../src/http/access.ts";
import { membersOf } from "../../src/operations/operation.ts";
import { operations } from "../../src/operations/operations.ts";

/** Operations used by commands that are not commands themselves, and `apply`. */
const withoutCommand = [
  ...["edits apply", "edits undo-preview", "people password", "status details"],
  // `report` and `backup` work on the files, also without a daemon.
  ...["reports list", "reports show", "items list"],
  ...["backups list", "backups make", "backups download"],
];

describe("every operation", () => {
  it("has a name and a route of its own", () => {
    const names = operations.map(({ name }) => name);
    const routes = operations.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size).toBe(operations.length);
    expect(new Set(routes).size).toBe(operations.length);
    expect(operations.length).toBeGreaterThan(25);
  });

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    "%s takes what its path names, and admits only those it is for",
    (_name, operation) => {
      const members = membersOf(operation).map(({ name }) => name);
      expect(members).toEqual(expect.arrayContaining([...operation.pathMembers]));
      if (operation.body) expect(members).toContain(operation.body.member);
      const path = operation.path.replace(/:\w+/g, "7");
      expect(createAccess()(operation.method, path)).toMatchObject({
        kind: "rule",
        rule: { who: operation.access, door: "program" },
      });
    },
  );

  it("has a command of its name whose help describes it", async () => {
    const program = await commandTree("1.0.0");
    const commands = new Map(
      allCommands(outlineOf(program)).map(({ path, about }) => [path.join(" "), about]),
    );
    const expected = operations.filter(({ name }) => !withoutCommand.includes(name));
    expect(expected.map(({ name }) => [name, commands.get(name)])).toEqual(
      expected.map(({ name, summary }) => [name, summary]),
    );
  });
});
