import { say } from "./say.ts";

const toldMs = 2000;

/**
 * Shows the copy buttons inside a node, which need a script. One copies the field that it names (`data-copy`), or a text
 * (`data-copy-text`).
 */
export function offerCopying(root: ParentNode): void {
  const buttons = root.querySelectorAll<HTMLButtonElement>(
    "button[data-copy], button[data-copy-text]",
  );
  for (const button of buttons) {
    const { copy, copyText } = button.dataset;
    const field = copy === undefined ? null : document.getElementById(copy);
    const isField = field instanceof HTMLInputElement;
    if (!isField && copyText === undefined) continue;
    button.hidden = false;
    const label = button.textContent;
    button.addEventListener("click", () => {
      const done = isField ? copyField(field) : copyOf(copyText ?? "", button);
      void done.then((isCopied) => {
        button.textContent = say(isCopied ? "script.copied" : "script.pressCopy");
        setTimeout(() => {
          button.textContent = label;
        }, toldMs);
      });
    });
  }
}

/** Copies a text that no field shows. */
async function copyOf(text: string, beside: HTMLElement): Promise<boolean> {
  const field = document.createElement("input");
  field.className = "unseen";
  field.value = text;
  beside.after(field);
  const isCopied = await copyField(field);
  if (isCopied) field.remove();
  return isCopied;
}

/** Without https pages have no clipboard: select the text and try the older command. */
async function copyField(field: HTMLInputElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus();
    field.select();
    return document.execCommand("copy");
  }
}
