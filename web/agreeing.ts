import { say } from "./say.ts";

/** What to confirm before a change. */
interface Question {
  readonly title: string;
  readonly changes?: readonly {
    readonly name: string;
    readonly from: string;
    readonly to: string;
  }[];
  readonly notes?: readonly string[];
  readonly state?: string;
}

/** Shows the change, and resolves with true if the reader confirms; closing the dialog by key counts as no. */
export function askToAgree({ title, changes = [], notes = [], state }: Question): Promise<boolean> {
  const dialog = document.createElement("dialog");
  dialog.className = "agree";
  dialog.setAttribute("aria-labelledby", "agree-title");
  const heading = part("h2", say("script.change", { title }));
  heading.id = "agree-title";
  const list = document.createElement("dl");
  list.className = "facts";
  for (const { name, from, to } of changes) {
    list.append(part("dt", name), part("dd", `${from} → ${to}`));
  }
  const said = notes.map((note) => part("p", note));
  const waits = state === "held" ? [part("p", say("script.waiting"))] : [];
  const form = document.createElement("form");
  form.method = "dialog";
  form.className = "row";
  const yes = part("button", say("script.save"));
  yes.className = "main";
  yes.value = "yes";
  const no = part("button", say("script.cancel"));
  no.value = "";
  form.append(yes, no);
  dialog.append(heading, list, ...said, ...waits, form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    dialog.showModal();
    yes.focus();
  });
}

function part<Name extends "h2" | "p" | "dt" | "dd" | "button">(name: Name, text: string) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
