import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type Document, OpenAPIClientAxios } from "openapi-client-axios";
import { expect, it, onTestFinished } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import { operationIdOf } from "../../src/operations/open-api.ts";
import { fileTypesOf } from "../../src/operations/operation.ts";
import { operations } from "../../src/operations/operations.ts";
import { calendar, vtodo } from "../edits/rig.ts";
import { install } from "../support/dayferry.ts";
import { untilHung } from "../support/eventually.ts";
import { serveHere } from "../support/in-process.ts";
import { aReceiver } from "../support/receiver.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

const json = "application/json";

it("GET /api/openapi.json describes every operation: a generated client calls each, and the responses match", async () => {
  const sandbox = await testSandbox();
  const installation = install(sandbox);
  const daemon = await serveHere(installation);
  onTestFinished(async () => {
    await daemon.stop();
    installation.dispose();
    await sandbox.close();
  });
  const headers = { authorization: `Bearer ${daemon.adminToken}` };
  const described = await fetch(`${daemon.url}/api/openapi.json`);
  const definition = (await described.json()) as Document;
  expect(await new Validator().validate(Object(structuredClone(definition)))).toMatchObject({
    valid: true,
  });

  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats.default(ajv);
  ajv.addSchema(definition, "openapi");
  const client = await new OpenAPIClientAxios({ definition, quick: true }).init();
  client.defaults.headers.common["authorization"] = headers.authorization;
  client.defaults.validateStatus = () => true;
  const called = new Set<string>();

  /** Calls an operation, and compares status and answer with the document. Returns the answer. */
  async function call(name: string, parameters: object = {}, body?: unknown, type?: string) {
    const id = operationIdOf(name);
    const run = client[id as keyof typeof client] as (
      ...args: unknown[]
    ) => Promise<{ status: number; data: unknown }>;
    const config = type === undefined ? {} : { headers: { "content-type": type } };
    const { status, data } = await run(parameters, body, config);
    const operation = operations.find((one) => one.name === name) ?? expect.fail(name);
    const path = operation.path.replace(/:(\w+)/g, "{$1}").replaceAll("/", "~1");
    const place = `openapi#/paths/${path}/${operation.method.toLowerCase()}/responses`;
    const known = operation.status === null ? "2XX" : String(operation.status);
    expect(`${name} ${status}: ${JSON.stringify(data)}`).toMatch(
      new RegExp(`^${name} ${known.replaceAll("X", "\\d")}`),
    );
    if (status !== 204 && (fileTypesOf(operation) ?? [json]).some((one) => one.startsWith(json))) {
      const validate = ajv.compile({ $ref: `${place}/${known}/content/application~1json/schema` });
      validate(data);
      expect(validate.errors ?? [], name).toEqual([]);
    }
    called.add(name);
    return Object(data);
  }

  await call("status");
  await call("status details");
  const reports: readonly { name: string }[] = await call("reports list");
  expect(await call("reports show", { name: reports[0]?.name ?? "" })).toHaveProperty("rows");
  expect(await call("items list", { limit: 1 })).toHaveProperty("rows");
  const backup = await call("backups make");
  await call("backups list");
  await call("backups download", { name: backup.name });

  const [place] = sandbox.workspace.places();
  if (!place) throw new Error("the workspace is empty");
  const { project, lists } = place;
  const by = ownerOf(sandbox);
  const [list = 0, other = 0] = lists;

  const { store, sync } = daemon.modules;
  const sweep = () => sync.sweep({ signal: untilHung() });

  const feed = await call(
    "feeds create",
    {},
    { kind: "project", projectId: project, filter: { kinds: ["task"] } },
  );
  await call("feeds change", { id: feed.id }, { name: "Tasks" });
  await call("feeds rotate", { id: feed.id });
  await call("feeds revoke", { id: feed.id });
  const { url } = await call("feeds reopen", { id: feed.id });
  expect((await fetch(url)).status).toBe(200);
  await call("feeds list");

  await call("people list");
  await call("people set-password", { id: by });
  await call("people password", { id: by });
  await call("people clear-password", { id: by });

  const file = calendar(vtodo("api@example.com", "SUMMARY:By a client", "DUE;VALUE=DATE:20270201"));
  const apply = (dryRun: boolean) =>
    call("edits apply", { project, list, dryRun }, file, "text/calendar");
  await apply(true);
  const { items } = await apply(false);
  const edit = items[0].editId;
  await expect.poll(async () => (await call("edits show", { id: edit })).state).toBe("confirmed");
  await call("edits list", { limit: 5 });
  const { version } = await call("edits undo-preview", { id: edit });
  await call("edits undo", { id: edit }, { version });
  const series = vtodo(
    "daily@example.com",
    "SUMMARY:Daily",
    "DUE;VALUE=DATE:20270201",
    "RRULE:FREQ=DAILY;COUNT=2",
  );
  const { items: daily } = await call(
    "edits apply",
    { project, list },
    calendar(series),
    "text/calendar",
  );
  await call("edits undo-series", { id: daily[1].editId });
  await call("search", { text: "client" });
  const { id: token } = await call("tokens create", {}, { name: "Agent", person: by });
  await call("tokens list", { person: by });
  await call("tokens revoke", { id: token, person: by });
  await call("agenda", { from: "2026-11-01", to: "2026-12-31" });
  const made = {
    kind: "event",
    project,
    title: "By fields",
    startOn: "2027-02-01",
    startAt: "09:00",
  };
  await call("items create", {}, { ...made, endAt: "10:00", dryRun: true });
  const { edit: created } = await call(
    "items create",
    {},
    { ...made, reminder: 10, assigned: [by] },
  );
  await expect
    .poll(async () => (await call("edits show", { id: created })).state)
    .toBe("confirmed");
  const { item: known } = await call("edits show", { id: created });
  const { sequence } = await call("items show", { uid: known.uid });
  await call("items change", { uid: known.uid }, { sequence, title: "Changed", private: true });
  await call("items delete", { uid: known.uid, dryRun: true });

  const ended = (id: number, state: string) =>
    expect.poll(async () => (await call("edits show", { id })).state).toBe(state);
  /** A new event of the workspace, and an edit of its title. */
  async function titled(title: string, state: "held" | "pending") {
    const { id } = sandbox.workspace.events.create(
      { by, project },
      { title, start: "2027-03-01", all_day: true },
    );
    await sweep();
    const item = store.mirror.find("event", serviceId(id)) ?? expect.fail("it is not known");
    const { item: base } = store.view.get(item) ?? expect.fail("it is not shown");
    const edit = store.journal.append({
      ...{ channel: "cli", actor: null, newLabels: [], item, action: "update", base, state },
      patch: { title: `${title}, edited` },
    });
    return { id, edit };
  }
  const held = [await titled("Approved", "held"), await titled("Discarded", "held")];
  await call("edits approve", { id: held[0]?.edit });
  await ended(held[0]?.edit ?? 0, "confirmed");
  await call("edits discard", { id: held[1]?.edit });
  sandbox.faults.add({ kind: "status", status: 403, method: "PUT" });
  const { edit: retried } = await titled("Refused", "pending");
  await ended(retried, "parked");
  sandbox.faults.clear();
  await call("edits retry", { id: retried });
  const crossed = await titled("Crossed", "held");
  const at = { by, project, event: crossed.id };
  sandbox.workspace.events.update(at, { title: "Crossed by another" });
  await call("edits approve", { id: crossed.edit });
  await ended(crossed.edit, "parked");
  const { choice } = await call("edits show", { id: crossed.edit });
  const decision = { version: choice.version, fields: { title: "mine" } };
  await call("edits resolve", { id: crossed.edit }, { ...decision, dryRun: true });
  await call("edits resolve", { id: crossed.edit }, decision);

  const task = sandbox.workspace.tasks.create(
    { by, project, list },
    { title: "Plan", due_date: "2027-02-01" },
  ).id;
  await sweep();
  await call("comments add", { task }, { text: "On it" });
  await call("comments list", { task });
  await call("tasks copy", { task }, { list: other });
  await call("tasks move", { task }, { list: other });

  const label = await call("labels create", {}, { name: "Print" });
  await call("labels rename", { id: label.id }, { name: "Web" });
  await call("labels list");
  await call("labels delete", { id: label.id });

  const { files } = await call("files upload", { project, name: "plan.txt" }, "plan", "text/plain");
  await call("files list", { project });
  await call("files delete", { project, id: files[0].id });

  const receiver = await aReceiver();
  const hook = await call("webhooks create", {}, { url: receiver.url, events: ["item.changed"] });
  await call("webhooks test", { webhook: hook.id });
  expect(receiver.received).toMatchObject([{ data: { type: "test" } }]);
  await call("webhooks deliveries", { webhook: hook.id });
  await call("webhooks list");
  await call("webhooks delete", { webhook: hook.id });

  store.brakes.set("labels", { missing: 3, total: 4, needsPerson: true });
  await call("brakes list");
  await call("brakes release", { source: "labels" });
  expect(operations.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([]);
});
