import fs, { type PathOrFileDescriptor } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import Database from "better-sqlite3";

// Loaded into a real program before it (`--import`): the program kills itself (kill -9) before the nth operation that
// it does on files or lets SQLite do, or halfway through it if that is a write. Without a number it only counts. A kill
// leaves the written data to the system, so that it makes no difference whether that was flushed to the disk before.
// With the name of a file, the program does not die: that file takes all that is left of its disk, and the program
// continues from there.

const {
  DEATH_IN: which = "",
  DEATH_AT: at = "",
  DEATH_NOTES: notes = "",
  DEATH_FILL: filler = "",
} = process.env;
const state = { count: 0, isInside: false };

/**
 * Whether this is the last operation; a write is half done first. What Node does to carry out one operation is not
 * counted.
 */
function isLast(what: string, place: unknown): boolean {
  state.count += 1;
  if (notes !== "") fs.appendFileSync(notes, `${state.count} ${what} ${String(place)}\n`);
  return state.count === Number(at);
}

const end = () => (filler === "" ? void process.kill(process.pid, "SIGKILL") : fillDisk(filler));

function fillDisk(file: string): void {
  const descriptor = fs.openSync(file, "w");
  try {
    for (const octets of [2 ** 20, 2 ** 12]) writeUntilFull(descriptor, Buffer.alloc(octets));
  } finally {
    fs.closeSync(descriptor);
  }
}

function writeUntilFull(descriptor: number, piece: Uint8Array): void {
  try {
    for (;;) fs.writeSync(descriptor, piece);
  } catch (error) {
    if (!String(error).includes("ENOSPC")) throw error;
  }
}

function within<Answer>(act: () => Answer): Answer {
  state.isInside = true;
  try {
    return act();
  } finally {
    state.isInside = false;
  }
}

const steps = ["renameSync", "rmSync", "mkdirSync", "linkSync"] as const;

if (process.argv.slice(1).join(" ").includes(which)) {
  for (const name of steps) {
    const real: (...args: never[]) => unknown = fs[name];
    Object.assign(fs, {
      [name](...args: never[]) {
        if (state.isInside) return real(...args);
        return within(() => {
          if (isLast(name, args[0])) end();
          return real(...args);
        });
      },
    });
  }
  const { writeFileSync, writeSync } = fs;
  Object.assign(fs, {
    writeFileSync(file: PathOrFileDescriptor, text: string | Uint8Array, options: object) {
      if (state.isInside) return writeFileSync(file, text, options);
      return within(() => {
        if (isLast("writeFileSync", file)) {
          const octets = Buffer.from(text);
          writeFileSync(file, octets.subarray(0, octets.length / 2), options);
          end();
        }
        return writeFileSync(file, text, options);
      });
    },
    writeSync(descriptor: number, piece: Uint8Array, from = 0) {
      // The log is no operation on the disk.
      if (state.isInside || descriptor <= 2) return writeSync(descriptor, piece, from);
      return within(() => {
        if (isLast("writeSync", descriptor)) {
          writeSync(descriptor, piece, from, Math.floor((piece.byteLength - from) / 2));
          end();
        }
        return writeSync(descriptor, piece, from);
      });
    },
  });
  syncBuiltinESMExports();
  const exec: unknown = Reflect.get(Database.prototype, "exec");
  Object.assign(Database.prototype, {
    exec(this: Database.Database, sql: string) {
      within(() => {
        if (isLast("exec", /^\s*(?:--[^\n]*\s+)*(.*)/.exec(sql)?.[1])) end();
      });
      return typeof exec === "function" ? Reflect.apply(exec, this, [sql]) : this;
    },
  });
}
