import { expect, it } from "vitest";
import { customDatesOf, customDateUid, readCustomDateUid } from "../../src/domain/custom-date.ts";
import { serviceId } from "../../src/domain/ids.ts";
import { anEvent, aTask } from "../support/items.ts";

it("lists the custom fields of type Date that have a value", () => {
  const field = (id: number, type: string, value: string | readonly string[]) => ({
    id: serviceId(id),
    title: `Field ${id}`,
    type,
    value,
  });
  const customFields = [
    field(1, "Date", "2026-12-24"),
    field(2, "Date", ""),
    field(3, "Date", "2026-02-30"),
    field(4, "Text", "2026-12-24"),
    field(5, "Date", ["2026-12-24"]),
  ];
  const dates = customDatesOf(aTask(1, { customFields }));
  expect(dates.map(({ id, title, on }) => [id, title, on.toString()])).toEqual([
    [1, "Field 1", "2026-12-24"],
  ]);
  expect(customDatesOf(anEvent(1))).toEqual([]);
});

it("reads the UIDs it writes, and no others", () => {
  const uid = customDateUid(serviceId(601), "field-7-task-1@here");
  expect(readCustomDateUid(uid)).toEqual({ field: 601, taskUid: "field-7-task-1@here" });
  for (const other of ["task-1@here", "field-0-task-1@here", "field-x-task-1@here", "field-1-"]) {
    expect(readCustomDateUid(other)).toBeNull();
  }
});
