import { offerCopying } from "./copying.ts";
import { offerLanguages } from "./language.ts";
import { followChanges } from "./live-sections.ts";
import { showLocalTimes } from "./local-times.ts";
import { sendOnce } from "./sending-once.ts";
import { offerShortcuts } from "./shortcuts.ts";
import { offerThemes } from "./theme.ts";

// What every page gets on top of its markup, which works without scripts: copy buttons, local times, the theme switch, keys, forms
// that are submitted once, and live sections.

offerCopying(document);
showLocalTimes(document);
sendOnce();
offerThemes();
offerLanguages();
offerShortcuts();
followChanges({
  onShown(section) {
    offerCopying(section);
    showLocalTimes(section);
  },
});

// Only for those signed in, and where browsers allow it: over https or on this machine.
if (document.body.matches(".framed") && "serviceWorker" in navigator) {
  const root = document.documentElement.dataset["root"] ?? "./";
  // Without it everything works as well, except offline.
  navigator.serviceWorker.register(`${root}worker.js`).catch(() => undefined);
}
