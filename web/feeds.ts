import { fieldsOf } from "./form-fields.ts";
import { say } from "./say.ts";

// The page /feeds: the form of a new feed says how many items it would show.

const pauseMs = 250;

const form = document.querySelector<HTMLFormElement>("#new details form");
const place = document.getElementById("count");
if (form && place) {
  let pause: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  const countSoon = () => {
    clearTimeout(pause);
    asked += 1;
    pause = setTimeout(() => void count(form, asked), pauseMs);
  };
  form.addEventListener("change", countSoon);
  form.closest("details")?.addEventListener("toggle", countSoon);

  async function count(from: HTMLFormElement, turn: number): Promise<void> {
    const answer = await fetch("feeds/count", {
      method: "POST",
      headers: { accept: "application/json" },
      body: fieldsOf(from),
    }).catch(() => null);
    if (!answer?.ok || turn !== asked || !place) return;
    const { shown, isCut }: { readonly shown?: unknown; readonly isCut?: unknown } = Object(
      await answer.json(),
    );
    const usual = shown === 1 ? "script.oneItem" : "script.items";
    place.textContent =
      typeof shown === "number"
        ? say(isCut === true ? "script.moreThan" : usual, { count: shown })
        : "";
  }
}
