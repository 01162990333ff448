/** The result of one check; broken and doubtful ones say what helps. */
export interface Finding {
  readonly verdict: "fine" | "doubtful" | "broken";
  readonly subject: string;
  readonly what: string;
  readonly remedy: string | null;
}

interface Trouble {
  readonly what: string;
  readonly remedy: string;
}

export const fine = (subject: string, what: string): Finding => ({
  verdict: "fine",
  subject,
  what,
  remedy: null,
});

export const doubtful = (subject: string, trouble: Trouble): Finding => ({
  verdict: "doubtful",
  subject,
  ...trouble,
});

export const broken = (subject: string, trouble: Trouble): Finding => ({
  verdict: "broken",
  subject,
  ...trouble,
});
