import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { watchFolder } from "../../src/drop/watch-folder.ts";
import { eventually } from "../support/eventually.ts";
import { testDirectory } from "../support/test-store.ts";

it("watching reports calendar files that are complete, after writing, renaming and moving", async () => {
  const folder = testDirectory();
  for (const name of ["done", "2001"]) mkdirSync(join(folder, name));
  let arrivals = 0;
  const watch = watchFolder({
    folder,
    onArrival: () => {
      arrivals++;
    },
  });
  onTestFinished(() => watch.close());
  const told = (count: number) =>
    eventually(`${count} arrivals`, () => (arrivals >= count ? true : null));

  writeFileSync(join(folder, "first.ics"), "BEGIN:");
  await told(1);
  appendFileSync(join(folder, "first.ics"), "VCALENDAR");
  await told(2);
  writeFileSync(join(folder, "2001", "upload.tmp"), "x");
  writeFileSync(join(folder, "done", "old.ics"), "x");
  renameSync(join(folder, "2001", "upload.tmp"), join(folder, "2001", "second.ics"));
  await told(3);
  expect(arrivals).toBe(3);
});
