/** The only workflow of the sandbox's account; the document only shows ids and names. */
export const workflow = {
  id: 1,
  name: "Basic workflow",
  stages: [
    { id: 1, name: "To do" },
    { id: 2, name: "In progress" },
    { id: 3, name: "Done" },
  ],
} as const;

/** The stage with an id; the first one for an unknown id. */
export function stageOf(id: number): { readonly id: number; readonly name: string } {
  return workflow.stages.find((it) => it.id === id) ?? workflow.stages[0];
}
