import { fieldsOf } from "./form-fields.ts";

// The page /setup: suggests this browser's time zone, and tests the answers with the service as they are typed.

const pauseMs = 600;

const form = document.querySelector<HTMLFormElement>("form[action=setup]");
const result = document.getElementById("check");
if (form && result) {
  suggestZone(form);
  let pause: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  form.addEventListener("input", () => {
    clearTimeout(pause);
    asked += 1;
    pause = setTimeout(() => void check(form, result, asked), pauseMs);
  });

  async function check(from: HTMLFormElement, place: HTMLElement, turn: number): Promise<void> {
    const answer = await fetch("setup/check", {
      method: "POST",
      body: fieldsOf(from),
    }).catch(() => null);
    if (!answer?.ok || turn !== asked) return;
    const { faults = [], facts = [] }: Checked = Object(await answer.json());
    for (const input of from.querySelectorAll<HTMLInputElement>(".field > input")) {
      showProblem(input, faults.find(({ field }) => field === input.name)?.problem ?? null);
    }
    place.textContent = facts.join(" ");
  }
}

interface Checked {
  readonly faults?: readonly { readonly field: string; readonly problem: string }[];
  readonly facts?: readonly string[];
}

/** In the markup of the server's own pages. */
function showProblem(input: HTMLInputElement, problem: string | null): void {
  const id = `${input.name}-problem`;
  document.getElementById(id)?.remove();
  const hint = document.getElementById(`${input.name}-hint`);
  const described = [hint?.id, problem === null ? undefined : id].filter(Boolean).join(" ");
  input.toggleAttribute("aria-describedby", described !== "");
  if (described !== "") input.setAttribute("aria-describedby", described);
  if (problem === null) {
    input.removeAttribute("aria-invalid");
    return;
  }
  input.setAttribute("aria-invalid", "true");
  const said = document.createElement("p");
  said.className = "problem";
  said.id = id;
  said.textContent = problem;
  input.closest(".field")?.append(said);
}

/** Fills in the zone of this browser, and offers all others. */
function suggestZone(from: HTMLFormElement): void {
  const input = from.querySelector<HTMLInputElement>("#timeZone");
  if (!input) return;
  if (input.value === "") input.value = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const list = document.createElement("datalist");
  list.id = "zones";
  list.append(...Intl.supportedValuesOf("timeZone").map((zone) => new Option(zone, zone)));
  input.after(list);
  input.setAttribute("list", list.id);
}
