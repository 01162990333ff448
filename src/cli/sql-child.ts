import { writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { isFormat } from "../reports/formats/format.ts";
import { writeRows } from "../reports/formats/query-rows.ts";
import { openQuery, sqlProblem } from "../store/reading/query.ts";

// A child process, as SQLite cannot be interrupted within its own process. Reads {file, sql, format, limit} from standard
// input, writes rows to standard output, and exits with 1 and a sentence on standard error, or with 0 and remarks about the
// rows.
const asked = new Map<string, unknown>(Object.entries(JSON.parse(await text(process.stdin))));
const [file, sql] = [String(asked.get("file")), String(asked.get("sql"))];
const format = String(asked.get("format"));
const limit = Number(asked.get("limit"));

process.exitCode = run();

function run(): 0 | 1 {
  const opened = openQuery(file, sql);
  if (!opened.ok) return fail(opened.failure);
  const { columns, rows, close } = opened.value;
  let waiting = "";
  const write = (more: string) => {
    waiting += more;
    if (waiting.length > 65_536) flush();
  };
  const flush = () => {
    writeAll(waiting);
    waiting = "";
  };
  try {
    const options = { columns, limit, write, format: isFormat(format) ? format : "table" } as const;
    const { hasMore } = writeRows(rows(), options);
    flush();
    if (hasMore) process.stderr.write(`only the first ${limit} rows; --limit sets how many\n`);
    return 0;
  } catch (error) {
    flush();
    return fail(sqlProblem(error, sql));
  } finally {
    close();
  }
}

/** Waits for the reader, so that memory use stays small. */
function writeAll(content: string): void {
  let rest = Buffer.from(content);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      const isFull = error instanceof Error && "code" in error && error.code === "EAGAIN";
      if (!isFull) throw error;
    }
  }
}

function fail(message: string): 1 {
  process.stderr.write(`${message}\n`);
  return 1;
}
