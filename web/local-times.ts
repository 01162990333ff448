import { locale, say } from "./say.ts";
/**
 * Shows the times inside a node in this browser's time zone if it differs from the page's, and says so if there are any; one
 * with a day keeps it. Times within a sentence stay, and get their time zone.
 */
export function showLocalTimes(root: ParentNode): void {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const note = document.querySelector<HTMLElement>("[data-zone]");
  const told = note?.dataset["zone"];
  if (!note || told === undefined || told === own) return;
  let isAny = false;
  for (const time of root.querySelectorAll<HTMLTimeElement>("time[data-form]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.title = `${time.textContent} (${told})`;
    time.textContent = inWords(at, time.dataset["form"] ?? "");
    isAny = true;
  }
  for (const sentence of root.querySelectorAll("[data-spoken]")) {
    if (/\d:\d\d/.test(sentence.textContent)) sentence.append(` (${spaced(told)})`);
  }
  if (!isAny) return;
  note.textContent = say("script.zones", { own: spaced(own), named: spaced(told) });
}

/** In the server's format: "Sat 21 Nov, 10:42", or the time alone. */
function inWords(at: Date, form: string): string {
  const clock = at.toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit" });
  if (form === "clock") return clock;
  const isThisYear = at.getFullYear() === new Date().getFullYear();
  const day = at.toLocaleDateString(locale(), {
    weekday: "short",
    day: "numeric",
    month: "short",
    ...(!isThisYear && { year: "numeric" }),
  });
  return `${locale() === "en-GB" ? day.replace(",", "").replace("Sept", "Sep") : day}, ${clock}`;
}

const spaced = (zone: string): string => zone.replaceAll("_", " ");
