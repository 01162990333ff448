import { offerCopying } from "./copying.ts";
import { followChanges } from "./live-sections.ts";
import { showLocalTimes } from "./local-times.ts";
import { sendOnce } from "./sending-once.ts";

// What every page gets on top of its markup, which works without scripts: copy buttons, local times, forms that are submitted
// once, and live sections.

offerCopying(document);
showLocalTimes(document);
sendOnce();
followChanges({
  onShown(section) {
    offerCopying(section);
    showLocalTimes(section);
  },
});
