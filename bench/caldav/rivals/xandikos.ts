import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { freePort, type Program, rival, start, untilListening, writeEvents } from "./processes.ts";

/** Xandikos stores files in Git; nobody logs in. */
export const xandikos: Program = {
  name: "Xandikos",
  needs: ["xandikos", "git"],
  asUser: false,
  async start(ground) {
    const folder = join(ground.folder, "xandikos");
    const port = await freePort();
    const where = ["-d", folder, "-l", "127.0.0.1", "-p", String(port)];
    const child = start(ground, {
      program: "xandikos",
      args: [...where, "--autocreate", "--current-user-principal=/bench/"],
    });
    const made = rival("Xandikos", { child, address: { port } });
    await untilListening(made);
    for (const path of [made.calendar, made.large]) {
      await made.client.call({ method: "MKCALENDAR", path });
    }
    const large = join(folder, made.large);
    writeEvents(large, ground.large);
    execFileSync("git", ["-C", large, "add", "--all"]);
    const author = ["-c", "user.name=Bench", "-c", "user.email=bench@example.com"];
    execFileSync("git", ["-C", large, ...author, "commit", "--quiet", "--message=Events"]);
    return made;
  },
};
