import { describe, expect, it } from "vitest";
import { dayferry } from "../support/dayferry.ts";
import { commandRig } from "./command-rig.ts";

const { place, project } = commandRig();

describe("feeds", () => {
  it("are called as they were asked for last", async () => {
    const { configFile } = place();
    await dayferry(["sync", "--config", configFile]);
    const id = String(project());
    const create = async (...args: readonly string[]) => {
      const asked = ["feeds", "create", "--project", id, ...args, "--json", "--config", configFile];
      const { code, stdout, stderr } = await dayferry(asked);
      if (code === 0) expect(stderr).toMatch(/^the project had this feed already, .* renamed/);
      return { code, ...(code === 0 && { feed: JSON.parse(stdout) }) };
    };
    const { feed } = await create("--name", "Our relaunch");
    expect(feed).toMatchObject({ name: "Our relaunch" });
    const again = await create("--no-name");
    expect(again.feed.name).not.toBe("Our relaunch");
    expect(again.feed.url.split("/").at(-2)).toBe(feed.url.split("/").at(-2));
    expect(await create("--name", " ")).toEqual({ code: 2 });
  });
});
