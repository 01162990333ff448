import { describe, expect, it } from "vitest";
import { sourceOf } from "../../src/domain/source.ts";
import { eventually } from "../support/eventually.ts";
import { times } from "../support/items.ts";
import { aNoticeRig, refused } from "./notice-rig.ts";
import { aMailer, ana, anInbox, ben, people } from "./rig.ts";

describe("step() writes notices", () => {
  async function mailOf(act: (rig: ReturnType<typeof aNoticeRig>) => void, url?: string) {
    const inbox = await anInbox();
    const rig = aNoticeRig(aMailer(inbox), url ?? null);
    act(rig);
    await rig.step();
    const { mail } = await eventually("the mail is there", () => inbox.mails[0] ?? null);
    return { mail, text: mail.text ?? "", html: mail.html ?? "", rig };
  }

  it("of a conflict with what each side wants, in the reader's own zone", async () => {
    const { mail, text, html } = await mailOf((rig) => {
      rig.wish({
        patch: {
          title: "Design <review>",
          when: times("2026-11-24T14:00", "2026-11-24T15:00"),
          assigned: [ana, ben],
          reminder: null,
        },
      });
      rig.park({
        reason: "conflict",
        problem: "title was changed by someone else as well",
        clash: {
          before: { ...rig.event, title: "Review of Ben" },
          conflicts: [
            { field: "title", base: "Review", ours: "Design", theirs: "Ben", taken: null },
            { field: "when", base: "", ours: "", theirs: "", taken: null },
          ],
        },
      });
    }, "https://calendar.example.com");
    expect(mail.subject).toBe("Not saved: Review of Ben – someone else changed it too");
    for (const line of [
      "Your change (Tue 24 Nov 2026, 08:00 (Europe/Lisbon)) was not saved, because someone else changed it too (Title, When).",
      "Title\n  Your edit: Design <review>\n  In the workspace: Review of Ben\n",
      "  Your edit: Tue 24 Nov 2026, 13:00–14:00 (Europe/Lisbon)",
      "  In the workspace: Tue 24 Nov 2026, 09:00–10:00 (Europe/Lisbon)",
      "Reminder\n  Your edit: none\n  In the workspace: 15 minutes before",
      "Assigned\n  Your edit: Ana, Ben",
      "Choose what to keep: https://calendar.example.com/edits/1\n",
      "You get this email because this edit was made in your name, by a calendar program.",
    ]) {
      expect(text).toContain(line);
    }
    // Only the admin has a command line, and a label is never broken.
    expect(`${text}${html}`).not.toContain("dayferry ");
    expect(html).toMatch(/white-space:nowrap;[^"]*"><bdi>When</);
    expect(html).toContain("<bdi>Design &lt;review&gt;</bdi>");
    expect(html).not.toContain("<review>");
    expect(html).toContain('href="https://calendar.example.com/edits/1"');
    expect(mail.headers).toContainEqual(
      expect.objectContaining({ key: "auto-submitted", value: "auto-generated" }),
    );
  });

  it("of a refusal with the reason, without the request, and with where to look when there is no address", async () => {
    const { mail, text } = await mailOf((rig) => {
      rig.wish({ patch: { title: "Renamed" } });
      const problem =
        "The service rejected it: Title is too long (PUT /projects/2001/events/1, 422)";
      rig.park({ ...refused, problem });
    });
    expect(mail.subject).toBe("Not saved: Design review – the workspace rejected it");
    expect(text).toContain('was not saved: the workspace answered "Title is too long".\n');
    expect(text).not.toMatch(/PUT|422|refused it:/);
    expect(text).toContain("  In the workspace: Design review");
    expect(text).toContain("On Dayferry's page Edits it is edit 1.");
  });

  it("of a failed creation, saying that the item does not exist", async () => {
    const { text } = await mailOf((rig) => {
      const item = rig.store.mirror.createIdentity("event", "new@calendar");
      rig.wish({ action: "create", item, base: { ...rig.event, id: null, title: "Party" } });
      rig.park({ reason: "unknown-outcome", problem: "the answer was lost" });
    });
    expect(text).toContain("Title\n  Your edit: Party\nWhen\n  Your edit: Tue 24 Nov 2026");
    expect(text).toContain("the answer was lost: it may or may not be saved.");
    expect(text).toContain("first checks whether the edit has arrived");
  });

  it("of a deletion, saying what was changed meanwhile", async () => {
    const { text } = await mailOf((rig) => {
      rig.wish({ action: "delete" });
      const conflict = {
        field: "title",
        base: "Design review",
        ours: "New",
        theirs: null,
      } as const;
      rig.park({
        reason: "conflict",
        problem: "it was changed since you saw it",
        clash: {
          before: { ...rig.event, title: "New" },
          conflicts: [{ ...conflict, taken: null }],
        },
      });
    });
    expect(text).toContain("Deleting it (Tue 24 Nov 2026, 08:00");
    expect(text).toContain("Title\n  In the workspace: New\n");
  });

  it("but none of an item that the editor may no longer see", async () => {
    const { mail, text, html } = await mailOf((rig) => {
      rig.wish({ patch: { title: "Renamed" } });
      const hidden = {
        ...rig.event,
        title: "Secret",
        private: true,
        assigned: [ben],
        creatorId: ben,
      };
      rig.store.mirror.put(hidden, sourceOf(hidden));
      rig.park({ reason: "failed", problem: "the title is Secret" });
    });
    expect(text).toContain("You no longer have access to it.");
    expect(`${mail.subject} ${text} ${html}`).not.toContain("Secret");
  });

  it("in which no title, name or problem adds a header or line", async () => {
    const nasty = "A\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>\u202e";
    const { mail, text, html } = await mailOf((rig) => {
      rig.store.directory.putPeople(
        people.map((person) => (person.id === ana ? { ...person, name: nasty } : person)),
        true,
      );
      rig.store.mirror.put({ ...rig.event, title: nasty }, sourceOf(rig.event));
      rig.wish({ patch: { title: nasty }, newLabels: [nasty] });
      rig.park({ reason: "refused", problem: nasty });
    });
    expect(mail.headers.map(({ key }) => key)).not.toContain("bcc");
    expect(mail.to?.map(({ address }) => address)).toEqual(["ana@example.com"]);
    expect(mail.subject).not.toMatch(/[\r\n]/);
    expect(text).not.toMatch(/^Bcc:/m);
    expect(html).not.toContain("<script>");
    expect(text + html).not.toContain("\u202e");
  });
});
