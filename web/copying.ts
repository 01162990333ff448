const toldMs = 2000;

/** Shows the copy buttons below a node, which only a script can serve, and lets them copy the field that they name. */
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

/** Without https a browser has no clipboard for pages: the text is selected then, and the older way is tried. */
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
