/** A gate that remembers nothing of an earlier process. */
export const noGateHistory = {
  load: () => [],
  save: () => undefined,
  loadRest: () => null,
  saveRest: () => undefined,
} as const;
