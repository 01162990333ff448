import { join } from "node:path";
import { expect, it } from "vitest";
import { configRig, least } from "./support.ts";

const rig = configRig();

it("all settings of backups are read", () => {
  const { backups } = rig.good({
    ...least,
    backups: {
      enabled: false,
      at: "01:15",
      keep: { daily: 1, weekly: 0, monthly: 0 },
      directory: "elsewhere",
      passphrase: "four words beside one another",
    },
  });
  expect(JSON.parse(JSON.stringify(backups))).toEqual({
    enabled: false,
    at: "01:15:00",
    keep: { daily: 1, weekly: 0, monthly: 0 },
    directory: join(rig.folder, "elsewhere"),
    passphrase: "four words beside one another",
  });
});
