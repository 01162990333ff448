import { createHash } from "node:crypto";
import express from "express";
import { projectId } from "../../src/domain/ids.ts";
import { createLinkSigner, type LinkAction } from "../../src/domain/signed-links.ts";
import { createEditActions } from "../../src/edits/actions/edit-actions.ts";
import { createActionLinks } from "../../src/edits/links/action-links.ts";
import { actRoutes } from "../../src/http/act-routes.ts";
import { aProject, aTask, aTodolist, zone } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";
import { barePages } from "./bare-pages.ts";
import { listening } from "./listening.ts";

const signer = createLinkSigner(createHash("sha256").update("only for tests").digest());
const title = `<script>alert("1")</script> & 'more'`;
export const task = aTask(8, { title, dueOn: Temporal.PlainDate.from("2026-11-12") });

/** The routes of action links below a path, over a store with one task and its feed. */
export async function startActs(
  setting: { readonly mode?: "apply" | "review"; readonly off?: boolean } = {},
) {
  const clock = handClock("2026-11-20T12:00:00Z");
  const store = testStore(clock);
  store.directory.putProjects([aProject(2001, "Website")], true);
  store.directory.putTodolists(null, [aTodolist(3001)], true);
  const feed = store.feeds.create(projectId(2001), "Website");
  store.mirror.put(task, "tests");
  const item = store.mirror.find("task", task.id);
  if (item === null) throw new Error("the mirror has lost the task");
  const links = createActionLinks({
    store,
    signer,
    zone,
    clock,
    mode: setting.mode ?? "apply",
    private: "omit",
    onAccepted() {},
  });
  const app = express();
  app.use(barePages());
  const editActions = createEditActions({ store, onReleased() {} });
  app.use("/some/path", actRoutes({ links: setting.off === true ? null : links, editActions }));
  const port = await listening(app);
  const base = `http://127.0.0.1:${port}/some/path/act/`;
  const link = (action: LinkAction) =>
    signer.sign({
      action,
      item,
      feed: feed.id,
      feedVersion: feed.version,
      until: Temporal.PlainDate.from("2027-03-31"),
    });
  const ask = async (text: string, init: RequestInit = {}) => {
    const answer = await fetch(new URL(text, base), { redirect: "manual", ...init });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return {
    clock,
    store,
    feed,
    item,
    link,
    ask,
    press: (text: string, shown: string) =>
      ask(text, { method: "POST", body: new URLSearchParams({ shown }) }),
    dueOn: () => {
      const shown = store.view.get(item)?.item;
      return shown?.kind === "task" ? shown.dueOn?.toString() : undefined;
    },
    edits: () => store.journal.list({ limit: 100 }),
  };
}

/** The day shown on a page, as its form sends it. */
export const shownIn = (page: string): string =>
  /name="shown" value="([^"]*)"/.exec(page)?.[1] ?? "none";
