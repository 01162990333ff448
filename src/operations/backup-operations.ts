import { createReadStream } from "node:fs";
import { z } from "zod";
import type { KeptBackup } from "../backups/snapshots.ts";
import { fail, ok } from "../domain/result.ts";
import { say } from "../texts/say.ts";
import { backupAnswer } from "./answers.ts";
import { aFile, aText, missing, type OperationModules, operation } from "./operation.ts";

/** Admin only, as backups contain everything that anyone ever wrote. */
const ofBackups = {
  access: "admin",
  isOffered: ({ backups }: Pick<OperationModules, "backups">) => backups !== undefined,
} as const;

export const listBackups = operation({
  ...ofBackups,
  name: "backups list",
  answer: z.array(backupAnswer),
  summary: "list backups, newest first",
  route: "GET /api/backups",
  member: "backups",
  input: {},
  run: (_, { backups }) => ok(backups?.list().map(describe) ?? []),
});

export const backUpNow = operation({
  ...ofBackups,
  name: "backups make",
  answer: backupAnswer,
  summary: "make a backup now",
  route: "POST /api/backups",
  status: () => 201,
  isSlow: true,
  input: {},
  async run(_, { backups }) {
    // It continues even if the client disconnects.
    const made = await backups?.make(new AbortController().signal);
    const kept = made?.ok ? backups?.list().find(({ file }) => file === made.value.file) : null;
    if (kept) return ok(describe(kept));
    const detail = made && !made.ok ? made.failure.problem : "the backup was removed at once";
    return fail({ kind: "unavailable", title: "No backup was made", detail });
  },
});

export const downloadBackup = operation({
  ...ofBackups,
  name: "backups download",
  answer: aFile("application/gzip"),
  summary: "download a backup",
  route: "GET /api/backups/:name",
  input: { name: aText("its file name") },
  run({ name }, { backups }) {
    const found = backups?.list().find((one) => one.name === name);
    if (!found) return missing(say("requestFault.noBackup", { name }));
    const { octets: bytes, name: fileName } = found;
    return ok({
      body: createReadStream(found.file),
      bytes,
      fileName,
      mediaType: "application/gzip",
    });
  },
});

const describe = ({ name, reason, madeAt, octets }: KeptBackup) => ({
  name,
  reason,
  madeAt: madeAt.toString(),
  bytes: octets,
});
