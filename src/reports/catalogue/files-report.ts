import { say } from "../../texts/say.ts";
import { compareTexts, instantsOf, personOf, projectOf, report } from "../report.ts";
import { readSides, sideText } from "./side-note.ts";

/** Files in the projects' folders. */
export const files = report({
  name: "files",
  group: "history",
  takes: ["project", "person", "dates", "as-of"],
  columns: [
    { key: "id", title: "column.id", type: "count" },
    { key: "name", title: "column.name", type: "text" },
    { key: "file_type", title: "column.type", type: "text" },
    { key: "byte_size", title: "column.size", type: "bytes" },
    { key: "project", title: "column.project", type: "text" },
    { key: "folder", title: "column.folder", type: "text" },
    { key: "person", title: "column.by", type: "text" },
    { key: "created_at", title: "column.filed", type: "instant" },
    { key: "updated_at", title: "column.changed", type: "instant" },
  ],
  read(view, scope) {
    const rows = view({
      view: "report_files",
      columns: "id, name, file_type, byte_size, project, folder, person, created_at, updated_at",
      where: {
        report_files: [...projectOf(scope), ...personOf(scope), ...instantsOf("created_at", scope)],
      },
    });
    // The reading progress at a past moment is unknown.
    const read = scope.asOf ? null : readSides(view, scope);
    return () => ({
      ...(read && {
        readAt: read("files").readAt,
        notes: [
          say("reports.filesRead", {
            folders: sideText(read("folders")),
            files: sideText(read("files")),
          }),
        ],
      }),
      rows: rows.toSorted(
        (a, b) => compareTexts(b.created_at ?? "", a.created_at ?? "") || a.id - b.id,
      ),
    });
  },
});
