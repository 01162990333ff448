import { say } from "./say.ts";
/**
 * Shows another page of this server beside the current one. Its links and forms work as on the page itself. If it cannot be
 * loaded, the browser goes there. `onClose` runs after it was closed.
 */
export async function openSheet(path: string, onClose: () => void): Promise<void> {
  const address = new URL(path, location.href);
  const answer = await fetch(address, { headers: { accept: "text/html" } }).catch(() => null);
  if (!answer?.ok || answer.redirected) {
    location.assign(address);
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const main = page.querySelector("main");
  const title = page.querySelector("h1");
  if (!main || !title) return;
  main.querySelector(".foot")?.remove();
  main.querySelector(".head")?.remove();
  resolveAddresses(main, address);
  const dialog = document.createElement("dialog");
  dialog.className = "sheet";
  title.id = "sheet-title";
  dialog.setAttribute("aria-labelledby", title.id);
  dialog.append(headOf(title, address), ...document.importNode(main, true).childNodes);
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClose();
  });
  dialog.addEventListener("click", ({ target }) => {
    // Its backdrop counts as the dialog itself.
    if (target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}

function headOf(title: Element, { href }: URL): HTMLElement {
  const head = document.createElement("header");
  const link = document.createElement("a");
  link.href = href;
  link.textContent = say("script.openPage");
  const form = document.createElement("form");
  form.method = "dialog";
  const button = document.createElement("button");
  button.textContent = say("script.close");
  form.append(button);
  head.append(document.importNode(title, true), link, form);
  return head;
}

/** Makes relative addresses in a part of another page absolute. */
export function resolveAddresses(main: Element, { href }: URL): void {
  for (const name of ["href", "action", "formaction"]) {
    for (const element of main.querySelectorAll(`[${name}]`)) {
      element.setAttribute(name, new URL(element.getAttribute(name) ?? "", href).href);
    }
  }
  for (const form of main.querySelectorAll("form:not([action])")) form.setAttribute("action", href);
}
