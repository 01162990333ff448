import fc from "fast-check";
import { expect, test } from "vitest";
import { startRigWithTask } from "./rig.ts";

const names = [
  "title",
  "description",
  "start",
  "end",
  "all_day",
  "private",
  "milestone",
  "reminder",
  "assigned",
  "completed",
  "start_date",
  "due_date",
  "estimated_hours",
  "estimated_hrs",
  "labels",
  "name",
  "custom_fields",
  "attachments",
  "folder",
  "project",
  "list_id",
  "stage",
  "copy_dates",
  "__proto__",
];
const values = fc.oneof(
  { weight: 2, arbitrary: fc.jsonValue() },
  fc.string({ unit: "binary" }),
  fc.constantFrom("2026-03-12", "2026-03-12T10:00:00Z", "T", 3001, 2001, [11], {
    601: { value: "1" },
  }),
  fc.constant({ toString: 1, valueOf: 1 }),
  fc.constant([{ id: { toString: 1 }, folder: { valueOf: 1 } }]),
);
const bodies = fc.oneof(
  { weight: 9, arbitrary: fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 6 }) },
  fc.jsonValue(),
);

test("sandboxApp() answers no body with a 5xx, and can list what it stored", async () => {
  const { call, path, sandbox } = await startRigWithTask();
  const event = await call("POST /projects/2001/events", {
    body: { title: "E", start: "2026-03-11", all_day: true },
  });
  expect(event.status).toBe(201);
  const targets = [
    "POST /projects/2001/events",
    "PUT /projects/2001/events/700001",
    "POST /projects/2001/todolists/3001/tasks",
    `PUT ${path}`,
    `POST ${path}`,
    `POST ${path}/subtasks`,
    `POST ${path}/comments`,
    "POST /labels",
    "POST /projects/2001/folders/4001/files",
  ];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...targets), bodies, async (target, body) => {
      expect((await call(target, { body })).status).toBeLessThan(500);
    }),
    { numRuns: 400 },
  );
  for (const list of [
    "/projects/2001/events?view=all",
    "/alltodo?include_subtasks=true",
    "/labels",
  ])
    expect((await call(`GET ${list}`)).status).toBe(200);
  expect(sandbox.requests.entries().every((it) => it.status !== null)).toBe(true);
});
