/** Milliseconds of processor time that this process has taken so far: unlike a clock, it does not run while others work. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
