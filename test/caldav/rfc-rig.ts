import { worldOn } from "../../packages/caldav-server/test/protocol/world.ts";
import { type DavSettings, startDav } from "../support/dav-server.ts";
import { anEvent, aTask } from "../support/items.ts";

/** A server of the daemon with an event and a task of the service. */
export async function rfcRig(settings: DavSettings = {}) {
  const dav = await startDav(settings);
  dav.store.mirror.put(anEvent(1, { title: "Review" }), "events:2001");
  dav.store.mirror.put(aTask(5, { title: "Paint" }), "tasks:3001");
  return { ...dav, ...(await worldOn(dav)) };
}
