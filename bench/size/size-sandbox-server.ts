// The service of bench/size.ts, in a process of its own: started with its options as JSON, it tells its address to the
// process that has started it, and changes an event of a project when asked.
import type { SandboxOptions } from "@dayferry/sandbox";
import { ownerOf, serviceConfig, testSandbox } from "../../test/support/sandbox.ts";
import { fewestFor } from "../fewest-requests.ts";

const options: Partial<SandboxOptions> = JSON.parse(process.argv[2] ?? "{}");
const sandbox = await testSandbox(options);
const { workspace } = sandbox;
const by = ownerOf(sandbox);
let changes = 0;

process.on("message", (project: number) => {
  const [event] = workspace.events.list({ by, project }, { view: "events" });
  if (!event) throw new Error(`project ${project} has no event`);
  changes += 1;
  const title = `Changed for the ${changes}. time`;
  workspace.events.update({ by, project, event: event.id }, { title });
});
process.on("disconnect", () => process.exit());
process.send?.({
  service: serviceConfig(sandbox),
  owner: by,
  first: workspace.places()[0]?.project ?? 0,
  fewest: fewestFor(sandbox),
});
