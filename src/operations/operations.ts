import * as backups from "./backup-operations.ts";
import * as brakes from "./brake-operations.ts";
import * as edits from "./edit-operations.ts";
import * as feeds from "./feed-operations.ts";
import * as items from "./item-operations.ts";
import type { Operation } from "./operation.ts";
import * as people from "./people-operations.ts";
import * as reports from "./report-operations.ts";
import * as search from "./search-operations.ts";
import * as status from "./status-operations.ts";
import * as tokens from "./token-operations.ts";
import * as webhooks from "./webhook-operations.ts";
import * as workspace from "./workspace-operations.ts";

/** Everything that can be asked for; who declares one in these files has it here. */
export const operations: readonly Operation[] = [
  backups,
  brakes,
  edits,
  feeds,
  items,
  people,
  reports,
  search,
  status,
  tokens,
  webhooks,
  workspace,
]
  .flatMap((group) => Object.values<unknown>(group))
  .filter(isOperation);

function isOperation(value: unknown): value is Operation {
  return typeof value === "object" && value !== null && "pathMembers" in value;
}
