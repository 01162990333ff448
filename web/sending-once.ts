const restMs = 3000;

/** Sends a form once, however often its button is pressed in a row: a second press would do the same once more. */
export function sendOnce(): void {
  const sent = new WeakSet<EventTarget>();
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form || event.defaultPrevented) return;
    if (sent.has(form)) event.preventDefault();
    sent.add(form);
    // What answers with a file leaves the page as it is, and may be asked for again.
    setTimeout(() => sent.delete(form), restMs);
  });
}
