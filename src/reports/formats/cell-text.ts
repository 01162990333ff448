import { unreachable } from "../../domain/result.ts";
import type { Cell, CellType } from "../report.ts";

/** Says cells as people read them; `local` says an instant in the reader's zone. */
export function cellText(local: (instant: string) => string) {
  return (cell: Cell, type: CellType): string => {
    if (cell === null) return "";
    switch (type) {
      case "text":
      case "date":
      case "count":
      case "days":
        return String(cell);
      case "minutes":
        return hoursText(Number(cell));
      case "seconds":
        return ageText(Number(cell));
      case "bytes":
        return sizeText(Number(cell));
      case "percent":
        return `${cell} %`;
      case "instant":
        return instantPattern.test(String(cell)) ? local(String(cell)) : String(cell);
      case "flag":
        return cell === 1 ? "✓" : "";
      default:
        return unreachable(type);
    }
  };
}

/** Whether a column's cells stand at the right, as numbers do. */
export const isNumeric = (type: CellType): boolean =>
  type !== "text" && type !== "date" && type !== "instant" && type !== "flag";

/** `12:05` hours and minutes; negative ones with a minus. */
export function hoursText(minutes: number): string {
  const whole = Math.abs(minutes);
  const sign = minutes < 0 ? "-" : "";
  return `${sign}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** The two largest units of a length. */
export function ageText(seconds: number): string {
  const [days, hours, minutes] = [86_400, 3_600, 60].map((unit) => Math.floor(seconds / unit));
  if (days) return `${days} d ${(hours ?? 0) % 24} h`;
  if (hours) return `${hours} h ${(minutes ?? 0) % 60} min`;
  return minutes ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

const instantPattern = /^\d{4}-\d{2}-\d{2}T.*Z$/;

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${["B", "kB", "MB", "GB", "TB"][power] ?? "B"}`;
}
