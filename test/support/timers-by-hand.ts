/** Time limits that end when a test says so: no stall of the machine can end them too early. */
export function timersByHand() {
  const running = new Set<() => void>();
  return {
    start: (_ms: number, end: () => void): (() => void) => {
      running.add(end);
      return () => void running.delete(end);
    },
    /** Ends all running ones. */
    end: (): void => {
      for (const end of running) end();
      running.clear();
    },
  };
}
