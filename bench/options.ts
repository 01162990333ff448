/**
 * Reads what a script is told: `name=12` for each number that it knows, or the numbers alone in their order; words without a number
 * are left to the script. What it does not know ends it with 2, before anything is measured.
 */
export function numbersOf<Name extends string>(
  usual: Readonly<Record<Name, number>>,
): Readonly<Record<Name, number>> {
  const names = Object.keys(usual);
  const given = new Map<string, number>();
  let place = 0;
  for (const word of process.argv.slice(2)) {
    const [, named, text = ""] = /^(?:(\w+)=)?(.*)$/.exec(word) ?? [];
    if (named === undefined && !/^\d/.test(text)) continue;
    const name = named ?? names[place];
    place += 1;
    const value = Number(text);
    if (name === undefined || !names.includes(name) || text === "" || !(value >= 0)) {
      console.error(`${word}: it must be one of ${names.map((one) => `${one}=NUMBER`).join(", ")}`);
      process.exit(2);
    }
    given.set(name, value);
  }
  return { ...usual, ...Object.fromEntries(given) };
}
