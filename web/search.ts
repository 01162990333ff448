// The page /search: results appear while words are typed.

/** Typing pauses this long between words. */
const pauseMs = 150;

const field = document.querySelector<HTMLInputElement>("main input[type=search]");
const place = document.getElementById("results");
if (field && place) {
  let pause: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  field.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(() => {
      asked += 1;
      void show(field.value, asked);
    }, pauseMs);
  });

  async function show(text: string, turn: number): Promise<void> {
    const address = `search?${new URLSearchParams({ text }).toString()}`;
    const answer = await fetch(address, { headers: { accept: "text/html" } }).catch(() => null);
    // An older answer may come after a newer one.
    if (!answer?.ok || answer.redirected || turn !== asked) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const results = page.getElementById("results");
    if (!results || turn !== asked) return;
    place?.replaceChildren(...document.importNode(results, true).childNodes);
    history.replaceState(history.state, "", address);
  }
}
