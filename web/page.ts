import { offerCopying } from "./copying.ts";
import { followChanges } from "./live-sections.ts";
import { showLocalTimes } from "./local-times.ts";
import { sendOnce } from "./sending-once.ts";

// What every page gets beside its markup, which says everything without it: copy buttons, times of this browser's zone,
// forms that are sent once, and sections that follow what changes.

offerCopying(document);
showLocalTimes(document);
sendOnce();
followChanges({
  onShown(section) {
    offerCopying(section);
    showLocalTimes(section);
  },
});
