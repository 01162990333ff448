import { expect, test } from "vitest";
import { idOf, type Rig, startRig } from "./rig.ts";

interface Row {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly status: number;
}

// Paths name created items in braces; rows run in order, so deletions come last.
const rows: readonly Row[] = [
  { method: "GET", path: "/projects/{p}/events?view=all", status: 200 },
  {
    method: "POST",
    path: "/projects/{p}/events",
    body: { title: "E", start: "2026-03-11", all_day: true },
    status: 201,
  },
  { method: "GET", path: "/projects/{p}/events/{event}", status: 200 },
  { method: "PUT", path: "/projects/{p}/events/{event}", body: { title: "F" }, status: 200 },
  {
    method: "PUT",
    path: "/projects/{p}/events/{milestone}",
    body: { completed: true },
    status: 200,
  },
  { method: "GET", path: "{tasks}", status: 200 },
  { method: "POST", path: "{tasks}", body: { title: "T" }, status: 200 },
  { method: "GET", path: "{tasks}/{task}", status: 200 },
  { method: "PUT", path: "{tasks}/{task}", body: { completed: true }, status: 200 },
  { method: "POST", path: "{tasks}/{task}", body: { title: "Copy" }, status: 200 },
  { method: "GET", path: "{tasks}/{task}/subtasks", status: 200 },
  { method: "POST", path: "{tasks}/{task}/subtasks", body: { title: "S" }, status: 200 },
  { method: "GET", path: "{tasks}/{task}/subtasks/{subtask}", status: 200 },
  {
    method: "PUT",
    path: "{tasks}/{task}/subtasks/{subtask}",
    body: { completed: true },
    status: 200,
  },
  { method: "GET", path: "{tasks}/{task}/comments", status: 200 },
  { method: "POST", path: "{tasks}/{task}/comments", body: { description: "C" }, status: 200 },
  { method: "GET", path: "{tasks}/{task}/comments/{comment}", status: 200 },
  {
    method: "PUT",
    path: "{tasks}/{task}/comments/{comment}",
    body: { description: "D" },
    status: 200,
  },
  { method: "GET", path: "{tasks}/{task}/history", status: 200 },
  { method: "GET", path: "{tasks}/{task}/history/{entry}", status: 200 },
  { method: "GET", path: "/labels", status: 200 },
  { method: "POST", path: "/labels", body: { name: "new" }, status: 200 },
  { method: "GET", path: "/labels/{label}", status: 200 },
  { method: "PUT", path: "/labels/{label}", body: { name: "renamed" }, status: 200 },
  { method: "GET", path: "/projects/{p}/folders/{folder}/files", status: 200 },
  { method: "DELETE", path: "/projects/{p}/events/{event}", status: 204 },
  { method: "DELETE", path: "{tasks}/{task}/comments/{comment}", status: 204 },
  { method: "DELETE", path: "{tasks}/{task}/subtasks/{subtask}", status: 204 },
  { method: "DELETE", path: "{tasks}/{task}", status: 204 },
  { method: "DELETE", path: "/labels/{label}", status: 204 },
];

const lookUps = [
  "/projects",
  "/projects/{p}",
  "/people",
  "/people/{me}",
  "/projects/{p}/todolists",
  "/projects/{p}/todolists/{list}",
  "/projects/{p}/folders",
  "/alltodo",
];

async function fill(rig: Rig): Promise<(path: string) => string> {
  const { call, sandbox } = rig;
  const [place] = sandbox.workspace.places();
  const p = place?.project ?? 0;
  const tasks = `/projects/${p}/todolists/${place?.lists[0]}/tasks`;
  const made = async (path: string, body: object) =>
    idOf((await call(`POST ${path}`, { body })).json);
  const whole = { start: "2026-03-11", all_day: true };
  const task = await made(tasks, { title: "task" });
  await call(`PUT ${tasks}/${task}`, { body: { title: "renamed" } });
  const history = await call(`GET ${tasks}/${task}/history`);
  const names: Readonly<Record<string, string | number>> = {
    p,
    tasks,
    task,
    list: place?.lists[0] ?? 0,
    folder: place?.folders[0] ?? 0,
    me: rig.person("Ana"),
    event: await made(`/projects/${p}/events`, { ...whole, title: "event" }),
    milestone: await made(`/projects/${p}/events`, { ...whole, title: "m", milestone: true }),
    subtask: await made(`${tasks}/${task}/subtasks`, { title: "subtask" }),
    comment: await made(`${tasks}/${task}/comments`, { description: "comment" }),
    entry: Array.isArray(history.json) ? idOf(history.json[0]) : 0,
    label: await made("/labels", { name: "label" }),
  };
  return (path) => path.replace(/\{(\w+)\}/g, (_, name: string) => String(names[name]));
}

test("sandboxApp() answers with its documented status at every endpoint", async () => {
  const rig = await startRig();
  const path = await fill(rig);
  for (const row of rows) {
    const answer = await rig.call(`${row.method} ${path(row.path)}`, { body: row.body });
    expect(`${row.method} ${row.path} ${answer.status}`).toBe(
      `${row.method} ${row.path} ${row.status}`,
    );
    if (row.status === 204) {
      expect(answer.text).toBe("");
      expect((await rig.call(`GET ${path(row.path)}`)).status).toBe(404);
    }
  }
});

test("sandboxApp() lets a client read everything and change nothing", async () => {
  const rig = await startRig();
  const path = await fill(rig);
  for (const row of rows) {
    const options = { body: row.body, key: rig.key("Farid") };
    const answer = await rig.call(`${row.method} ${path(row.path)}`, options);
    const expected = row.method === "GET" ? row.status : 403;
    expect(`${row.method} ${row.path} ${answer.status}`).toBe(
      `${row.method} ${row.path} ${expected}`,
    );
  }
});

test("sandboxApp() answers 403 for everything in a project the person is not on", async () => {
  const rig = await startRig();
  const path = await fill(rig);
  for (const row of rows.filter((it) => !it.path.startsWith("/labels"))) {
    const answer = await rig.call(`${row.method} ${path(row.path)}`, {
      body: row.body,
      key: rig.key("Elif"),
    });
    expect(`${row.method} ${row.path} ${answer.status}`).toBe(`${row.method} ${row.path} 403`);
  }
});

test("sandboxApp() answers 404 for ids that do not exist", async () => {
  const rig = await startRig();
  const path = await fill(rig);
  for (const row of rows) {
    const wrong = path(row.path).replace(/\d+(?=(\?.*)?$)/, "123456789");
    if (wrong === path(row.path)) continue;
    const answer = await rig.call(`${row.method} ${wrong}`, { body: row.body });
    expect(`${row.method} ${row.path} ${answer.status}`).toBe(`${row.method} ${row.path} 404`);
  }
});

test.each([true, false])("sandboxApp() answers look-ups with discovery %s", async (discovery) => {
  const rig = await startRig({ discovery });
  const path = await fill(rig);
  for (const lookUp of lookUps) {
    const answer = await rig.call(`GET ${path(lookUp)}`);
    expect(`${lookUp} ${answer.status}`).toBe(`${lookUp} ${discovery ? 200 : 404}`);
    expect(answer.json).toBeTypeOf("object");
  }
});
