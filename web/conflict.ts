import { fieldsOf } from "./form-fields.ts";
import { resolveAddresses } from "./side-sheet.ts";

// The page of an edit in conflict: the result of what is chosen appears below the fields, with the button that sends it. Without
// a script it is a page of its own.

const place = document.getElementById("preview");
const forms = document.querySelectorAll<HTMLFormElement>('#choice form[action$="/preview"]');
if (place) {
  let asked = 0;
  for (const form of forms) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void show(form).then(() => place.scrollIntoView({ block: "nearest" }));
    });
    form.addEventListener("change", () => {
      if (form.matches(":valid")) void show(form);
    });
  }

  async function show(form: HTMLFormElement): Promise<void> {
    asked += 1;
    const turn = asked;
    const answer = await fetch(form.action, {
      method: "POST",
      headers: { accept: "text/html" },
      body: fieldsOf(form),
    }).catch(() => null);
    if (turn !== asked || !place) return;
    if (!answer?.ok) {
      // The server's page says why, or that it does not respond.
      form.submit();
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const result = page.querySelector("main section.card");
    if (!result) return;
    resolveAddresses(result, new URL(form.action));
    place.replaceChildren(document.importNode(result, true));
  }
}
