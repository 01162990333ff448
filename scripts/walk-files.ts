// Counts the files of src/ that are executed in each walk.
//   node scripts/walk-files.ts [--list | --json]    one line per walk; with --list its files, most functions first
import { takeWalks } from "./walks.ts";

const walks = await takeWalks();
if (process.argv.includes("--json")) {
  console.log(JSON.stringify(walks));
} else {
  for (const { name, files } of walks) {
    const functions = files.reduce((sum, file) => sum + file.functions, 0);
    console.log(`${name}: ${files.length} files, ${functions} functions`);
    if (process.argv.includes("--list")) console.table(files);
  }
}
process.exit();
