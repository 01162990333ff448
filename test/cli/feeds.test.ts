import { expect, it, onTestFinished } from "vitest";
import { command, serveHere } from "../support/in-process.ts";
import { commandRig } from "./command-rig.ts";

const { place, project } = commandRig();

it("feeds are created with a filter, listed, changed under their address, and ended", async () => {
  const installation = place();
  await command(["sync"], { installation });
  const run = (...args: readonly string[]) => command(["feeds", ...args], { installation });
  const json = async (...args: readonly string[]) =>
    JSON.parse((await run(...args, "--json")).stdout);
  const id = String(project());

  const made = await json(
    ...["create", "--project", id, "--name", "Open tasks", "--kinds", "task", "subtask"],
    ...["--completed", "none", "--no-reminders", "--colour", "rebeccapurple".slice(7)],
  );
  expect(made).toMatchObject({
    name: "Open tasks",
    kind: "project",
    filter: { kinds: ["task", "subtask"], completed: "none", reminders: false },
    colour: "#800080",
  });
  const second = await json("create", "--project", id);
  expect(second.id).not.toBe(made.id);
  expect(await json("list")).toContainEqual(expect.objectContaining(made));

  const changed = await json("change", String(made.id), "--no-name", "--no-filter", "--no-colour");
  expect(changed).toMatchObject({ id: made.id, filter: null, colour: null });
  expect(changed.url.split("/").at(-2)).toBe(made.url.split("/").at(-2));
  expect((await run("create", "--all", "--label", "no such label")).stderr).toContain(
    'filter.labels: there is no label "no such label"',
  );
  const ofNothing = await run("create", "--name", "of nothing");
  expect([ofNothing.code, ofNothing.stderr]).toEqual([
    2,
    expect.stringContaining("--project ID, --person ID or --all"),
  ]);
  expect((await run("create", "--project", id, "--name", " ")).code).toBe(2);
  expect((await run("revoke", String(made.id))).code).toBe(0);
  expect((await run("change", String(made.id), "--name", "Gone")).stderr).toContain(
    `there is no open feed ${made.id}`,
  );
});

it("feeds beside a daemon list contents of all feeds to the admin, and to a person their own", async () => {
  const installation = place();
  const daemon = await serveHere(installation);
  onTestFinished(() => daemon.stop());
  const run = (...args: readonly string[]) => command(args, { installation, daemon });
  const json = async (...args: readonly string[]) =>
    JSON.parse((await run(...args, "--json")).stdout);
  const people: readonly { readonly id: number; readonly name: string }[] = await json(
    ...["people", "list"],
  );
  const [ana, ben] = people;
  if (!ana || !ben) return expect.fail("there are not two people");
  const create = ["feeds", "create", "--person"];
  const own = await json(...create, String(ana.id), "--name", "Of the one", "--kinds", "event");
  const other = await json(...create, String(ben.id), "--name", "Of the other");
  expect(own.shows).toBe(
    `events of all projects that ${ana.name} may see, assigned to ${ana.name}`,
  );

  const list = (await run("feeds", "list")).stdout;
  expect(list).toMatch(/^ID +NAME +SHOWS +LAST FETCH \(Europe\/Berlin\) +ADDRESS\n/);
  expect(list).toContain(own.shows);
  expect(list).toContain("Of the other");
  const { login, password } = await json("people", "set-password", String(ana.id));
  const headers = { authorization: `Basic ${btoa(`${login}:${password}`)}` };
  const asked = await fetch(`${daemon.url}/api/feeds`, { headers });
  const { feeds }: { readonly feeds: readonly { readonly id: number }[] } = Object(
    await asked.json(),
  );
  expect(feeds.map(({ id }) => id)).toEqual([own.id]);
  const ended = await fetch(`${daemon.url}/api/feeds/${other.id}`, { method: "DELETE", headers });
  expect(ended.status).toBe(404);

  await fetch(own.url, { headers: { "user-agent": "Google-Calendar-Importer" } });
  const rotated = await run("feeds", "rotate", String(own.id));
  expect(rotated.stderr).toContain("Programs get no updates until they have the new address.");
  expect(rotated.stdout).not.toContain(own.url);
  expect((await fetch(own.url)).status).toBe(404);
  expect((await run("feeds", "revoke", String(own.id))).stderr).toContain(
    `feed ${own.id} has ended. Fetched by Google (last on `,
  );
  expect((await run("feeds", "reopen", String(own.id))).code).toBe(0);
  expect((await run("feeds", "reopen", String(own.id))).code).toBe(1);
  expect((await run("feeds", "revoke", String(other.id))).stderr).toBe(
    `feed ${other.id} has ended. No program has fetched it yet. Undo: dayferry feeds reopen ${other.id}\n`,
  );
});
