import { membersOf, type Operation } from "../src/operations/operation.ts";
import { operations } from "../src/operations/operations.ts";

/** The table of all operations, as in docs/api.md between its two marks. */
export const operationsTable = (): string =>
  [
    "| request | for | does | input |",
    "|---|---|---|---|",
    ...operations
      .toSorted(byAddress)
      .map(
        (operation) =>
          `| \`${requestOf(operation)}\` | ${operation.access} | ${meaningOf(operation)} | ${inputOf(operation)} |`,
      ),
  ].join("\n");

const methods = ["GET", "POST", "PATCH", "DELETE"];

/** Modules do not keep the order of what they export. */
function byAddress(a: Operation, b: Operation): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return methods.indexOf(a.method) - methods.indexOf(b.method);
}

/** More are in the OpenAPI document. */
const mostNamed = 7;

const requestOf = ({ method, path }: Operation): string =>
  `${method} ${path.replace(/:(\w+)/g, (_, name: string) => name.toUpperCase())}`;

function meaningOf({ summary, note }: Operation): string {
  return note === "" ? summary : `${summary}. ${note}`;
}

/** Members that are not in the path, the needed ones first. */
function inputOf(operation: Operation): string {
  const { body } = operation;
  const members = membersOf(operation)
    .filter(({ isInPath, kind }) => !isInPath && kind !== "refused")
    .toSorted((a, b) => Number(b.isNeeded) - Number(a.isNeeded));
  const named = members
    .slice(0, mostNamed)
    .map(({ name, isNeeded }) => {
      const what = name === body?.member ? `\`${name}\` (the body)` : `\`${name}\``;
      return isNeeded ? `**${what}**` : what;
    })
    .join(", ");
  return members.length > mostNamed ? `${named}, …` : named;
}
