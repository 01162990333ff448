/** Submits a chosen language at once; without a script there is a button. */
export function offerLanguages(): void {
  const choice = document.querySelector<HTMLSelectElement>("select#language");
  const button = choice?.form?.querySelector("button");
  if (!choice || !button) return;
  button.hidden = true;
  choice.addEventListener("change", () => choice.form?.requestSubmit());
}
