const keptSeconds = 365 * 24 * 60 * 60;

/** Makes the theme switch work, which needs a script. The server reads the cookie, so that a page never changes its colors. */
export function offerThemes(): void {
  const choice = document.querySelector<HTMLSelectElement>("#theme");
  const field = choice?.closest<HTMLElement>("[hidden]");
  if (!choice || !field) return;
  field.hidden = false;
  choice.addEventListener("change", () => {
    const { value } = choice;
    const root = new URL(document.documentElement.dataset["root"] ?? "./", location.href).pathname;
    const seconds = value === "" ? 0 : keptSeconds;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs https, which home servers may lack.
    document.cookie = `dayferry-theme=${value}; path=${root}; max-age=${seconds}; samesite=lax`;
    if (value === "") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = value;
  });
}
