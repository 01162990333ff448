import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, type Program, rival, start, untilListening, writeEvents } from "./processes.ts";

/** Radicale stores files; nobody logs in. */
export const radicale: Program = {
  name: "Radicale",
  needs: ["radicale"],
  asUser: false,
  async start(ground) {
    const storage = join(ground.folder, "radicale");
    const large = join(storage, "collection-root", "bench", "large");
    mkdirSync(large, { recursive: true });
    writeFileSync(join(large, ".Radicale.props"), JSON.stringify({ tag: "VCALENDAR" }));
    writeEvents(large, ground.large);
    const port = await freePort();
    const options = [
      ["server-hosts", `127.0.0.1:${port}`],
      ["auth-type", "none"],
      ["storage-filesystem-folder", storage],
      ["logging-level", "error"],
    ].map(([name, value]) => `--${name}=${value}`);
    const child = start(ground, { program: "radicale", args: ["-C", "", ...options] });
    const made = rival("Radicale", { child, address: { port } });
    await untilListening(made);
    await made.client.call({ method: "MKCALENDAR", path: made.calendar });
    return made;
  },
};
