import type { TodoCard } from "@dayferry/ical";

export const day = (text: string): Temporal.PlainDate => Temporal.PlainDate.from(text);
export const instant = (text: string): Temporal.Instant => Temporal.Instant.from(text);

const plainTodo: TodoCard = {
  uid: "task-1@dayferry",
  sequence: 3,
  stampAt: instant("2026-06-01T08:00:00.750Z"),
  createdAt: instant("2026-05-01T08:00:00Z"),
  summary: "Write offer",
  description: "",
  startOn: null,
  dueOn: null,
  percent: 0,
  status: "NEEDS-ACTION",
  completedAt: null,
  categories: [],
  relatedTo: null,
  classification: null,
  url: null,
};

export const todo = (fields: Partial<TodoCard>): TodoCard => ({ ...plainTodo, ...fields });
