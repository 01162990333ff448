import { say } from "./say.ts";

/** A key with what it does, for the help. */
interface Shortcut {
  readonly key: string;
  readonly does: string;
  readonly run: () => void;
}

const known: Shortcut[] = [];

/** Adds keys that work wherever nothing is being entered and no dialog is open. The first call starts listening. */
export function addShortcuts(shortcuts: readonly Shortcut[]): void {
  if (known.length === 0) document.addEventListener("keydown", press);
  known.push(...shortcuts);
}

/** `/` goes to the search field, and `?` lists all keys of the page. */
export function offerShortcuts(): void {
  addShortcuts([
    { key: "/", does: say("script.search"), run: search },
    { key: "?", does: say("script.listKeys"), run: showHelp },
  ]);
}

function press(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const { target } = event;
  const isEntering = target instanceof Element && target.matches("input, select, textarea");
  if (isEntering || document.querySelector("dialog[open], [popover]:popover-open")) return;
  const shortcut = known.find(({ key }) => key === event.key);
  if (!shortcut) return;
  event.preventDefault();
  shortcut.run();
}

function search(): void {
  const fields = document.querySelectorAll<HTMLElement>("[role=search] input[type=search]");
  const field = [...fields].findLast((one) => one.checkVisibility());
  if (field) field.focus();
  else document.querySelector<HTMLAnchorElement>("a.find")?.click();
}

function showHelp(): void {
  const dialog = document.createElement("dialog");
  dialog.className = "agree";
  dialog.setAttribute("aria-label", say("script.keys"));
  const list = document.createElement("dl");
  list.className = "facts";
  for (const { key, does } of known) {
    const term = document.createElement("dt");
    const shown = document.createElement("kbd");
    shown.textContent = names.get(key) ?? key;
    term.append(shown);
    const meaning = document.createElement("dd");
    meaning.textContent = does;
    list.append(term, meaning);
  }
  const form = document.createElement("form");
  form.method = "dialog";
  const button = document.createElement("button");
  button.textContent = say("script.close");
  form.append(button);
  dialog.append(list, form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

const names: ReadonlyMap<string, string> = new Map([
  ["ArrowLeft", "←"],
  ["ArrowRight", "→"],
]);
