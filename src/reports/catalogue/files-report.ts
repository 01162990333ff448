import { instantsOf, personOf, projectOf, type Report } from "../report.ts";
import { readSides, sideText } from "./side-note.ts";

/** Files in the projects' folders. */
export const files: Report = {
  name: "files",
  title: "Files",
  about: "The files in the projects' folders, the newest first.",
  group: "History",
  answers: "Which files are in the projects, and who uploaded them?",
  takes: ["project", "person", "dates", "as-of"],
  columns: [
    { key: "id", title: "Id", type: "count" },
    { key: "name", title: "Name", type: "text" },
    { key: "file_type", title: "Type", type: "text" },
    { key: "byte_size", title: "Size", type: "bytes" },
    { key: "project", title: "Project", type: "text" },
    { key: "folder", title: "Folder", type: "text" },
    { key: "person", title: "By", type: "text" },
    { key: "created_at", title: "Filed", type: "instant" },
    { key: "updated_at", title: "Changed", type: "instant" },
  ],
  read(view, scope) {
    const rows = view({
      view: "report_files",
      columns: [
        "id",
        "name",
        "file_type",
        "byte_size",
        "project",
        "folder",
        "person",
        "created_at",
        "updated_at",
      ],
      where: {
        report_files: [...projectOf(scope), ...personOf(scope), ...instantsOf("created_at", scope)],
      },
    });
    // The reading progress of a past moment is unknown.
    const read = scope.asOf ? null : readSides(view, scope);
    return () => ({
      ...(read && {
        readAt: read("files").readAt,
        notes: [
          `Projects whose folders have been read so far: ${sideText(read("folders"))}; folders whose files: ${sideText(read("files"))}.`,
        ],
      }),
      rows: rows
        .toSorted((a, b) =>
          (a.created_at ?? "") === (b.created_at ?? "")
            ? a.id - b.id
            : (b.created_at ?? "") < (a.created_at ?? "")
              ? -1
              : 1,
        )
        .map((row) => [
          row.id,
          row.name,
          row.file_type,
          row.byte_size,
          row.project,
          row.folder,
          row.person,
          row.created_at,
          row.updated_at,
        ]),
    });
  },
};
