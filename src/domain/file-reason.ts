import { messageOf } from "./result.ts";

/** Why a file or folder could not be read or written, in words for a sentence. Unknown errors give their message. */
export function fileReason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "ENOENT":
      return "there is no such file or folder";
    case "EACCES":
    case "EPERM":
      return "permission denied";
    case "EISDIR":
      return "it is a folder";
    case "ENOTDIR":
    case "EEXIST":
      return "there is a file in place of a folder";
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full";
    case "EROFS":
      return "the disk is read-only";
    default:
      return messageOf(error);
  }
}
