/** The one workflow of the sandbox's account; the document shows nothing but ids and names. */
export const workflow = {
  id: 1,
  name: "Basic workflow",
  stages: [
    { id: 1, name: "To do" },
    { id: 2, name: "In progress" },
    { id: 3, name: "Done" },
  ],
} as const;

/** The stage of an id; the first one for an id that is none. */
export function stageOf(id: number): { readonly id: number; readonly name: string } {
  return workflow.stages.find((it) => it.id === id) ?? workflow.stages[0];
}
