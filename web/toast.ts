const shownMs = 10_000;

interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

/**
 * Shows a message at the bottom of the window for some seconds, longer while it is pointed at or has the focus. Replaces the
 * previous one.
 */
export function showToast(text: string, action?: ToastAction): void {
  const place = document.getElementById("toast") ?? newPlace();
  const words = document.createElement("span");
  words.textContent = text;
  const close = () => {
    if (words.isConnected) place.replaceChildren();
  };
  place.replaceChildren(words);
  if (action) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = action.label;
    button.addEventListener("click", () => {
      close();
      action.run();
    });
    place.append(button);
  }
  const wait = () => {
    setTimeout(() => (place.matches(":hover, :focus-within") ? wait() : close()), shownMs);
  };
  wait();
}

/** Screen readers announce what is put into it. */
function newPlace(): HTMLElement {
  const place = document.createElement("div");
  place.id = "toast";
  place.setAttribute("role", "status");
  document.body.append(place);
  return place;
}
