import { createHash } from "node:crypto";
import { personId, projectId, type ServiceId } from "../../../src/domain/ids.ts";
import type { Item } from "../../../src/domain/item.ts";
import {
  createLinkSigner,
  type LinkAction,
  type LinkClaim,
} from "../../../src/domain/signed-links.ts";
import { createActionLinks } from "../../../src/edits/links/action-links.ts";
import { anEvent, aProject, aTask, aTodolist, days, zone } from "../../support/items.ts";
import { handClock, testStore } from "../../support/test-store.ts";

export type Stored = Item & { readonly id: ServiceId };

export const signer = createLinkSigner(createHash("sha256").update("only for tests").digest());
export const task = aTask(8, { title: "Write <b>", dueOn: Temporal.PlainDate.from("2026-11-12") });
export const milestone = anEvent(9, { milestone: true, when: days("2026-12-01") });

export const ana = personId(11);

/** The links of a store with one feed and one item, by default the task. */
export function linkRig(
  setting: {
    readonly mode?: "apply" | "review";
    readonly private?: "omit" | "busy" | "show";
    readonly item?: Stored;
    readonly readOnly?: boolean;
  } = {},
) {
  const clock = handClock("2026-11-20T12:00:00Z");
  const store = testStore(clock);
  const { directory, mirror, feeds } = store;
  directory.putProjects([aProject(2001, "Website"), aProject(2002, "Trade fair")], true);
  directory.putTodolists(null, [aTodolist(3001), aTodolist(3002, { private: true })], true);
  const feed = feeds.create(projectId(2001), "Website");
  let woken = 0;
  const links = createActionLinks({
    store,
    signer,
    zone,
    clock,
    mode: setting.mode ?? "apply",
    private: setting.private ?? "omit",
    readOnly: new Set(setting.readOnly === true ? [ana] : []),
    onAccepted: () => {
      woken++;
    },
  });
  const put = (item: Stored) => {
    mirror.put(item, "tests");
    const key = mirror.find(item.kind, item.id);
    if (key === null) throw new Error("the mirror has lost the item");
    return key;
  };
  const key = put(setting.item ?? task);
  return {
    clock,
    store,
    links,
    feed,
    key,
    put,
    woken: () => woken,
    link: (action: LinkAction, changes: Partial<LinkClaim> = {}) =>
      signer.sign({
        action,
        item: key,
        feed: feed.id,
        feedVersion: feed.version,
        until: Temporal.PlainDate.from("2027-03-31"),
        ...changes,
      }),
    edits: () => store.journal.list({ limit: 100 }).toReversed(),
    shown: () => store.view.get(key)?.item,
  };
}
