/** What an edit says that nothing has happened to yet. */
export const untouched = {
  newLabels: [],
  parkReason: null,
  problem: null,
  notBefore: null,
  sentAt: null,
  answer: null,
  before: null,
  conflicts: [],
  insisted: false,
  frozen: false,
  undoes: null,
  confirmedAt: null,
  missedAt: null,
  landsUntil: null,
  resentAt: null,
  keyRefusedAt: null,
} as const;
