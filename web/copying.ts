const toldMs = 2000;

/** Shows the copy buttons inside a node, which need a script, and makes them copy the field they name. */
export function offerCopying(root: ParentNode): void {
  for (const button of root.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    const field = document.getElementById(button.dataset["copy"] ?? "");
    if (!(field instanceof HTMLInputElement)) continue;
    button.hidden = false;
    const label = button.textContent;
    button.addEventListener("click", () => {
      void copy(field).then((isCopied) => {
        button.textContent = isCopied ? "Copied" : "Press Ctrl+C";
        setTimeout(() => {
          button.textContent = label;
        }, toldMs);
      });
    });
  }
}

/** Without https pages have no clipboard: select the text and try the older command. */
async function copy(field: HTMLInputElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus();
    field.select();
    return document.execCommand("copy");
  }
}
