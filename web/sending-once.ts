const restMs = 3000;

/** Submits a form once, however often its button is pressed: a second submit would do the same again. */
export function sendOnce(): void {
  const sent = new WeakSet<EventTarget>();
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form || event.defaultPrevented) return;
    if (sent.has(form)) event.preventDefault();
    sent.add(form);
    // A download leaves the page as it is, and may be requested again.
    setTimeout(() => sent.delete(form), restMs);
  });
}
