import { missingPrograms } from "./programs.ts";

/** Says at the end of a run which real programs were skipped because they are missing on this machine. */
export default function setup(): () => Promise<void> {
  return async () => {
    for (const name of await missingPrograms()) console.log(`skipped: ${name} is not installed`);
  };
}
