/** One line of at most so many UTF-16 units, with … where something was cut; no character is cut in two. */
export function shorten(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > most ? `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…` : line;
}
