import { describe, expect, it } from "vitest";
import { sourceOf } from "../../src/domain/source.ts";
import { eventually } from "../support/eventually.ts";
import { times } from "../support/items.ts";
import { aNoticeRig, refused } from "./notice-rig.ts";
import { aMailer, ana, anInbox, ben, people } from "./rig.ts";

describe("step() says what happened", () => {
  async function mailOf(act: (rig: ReturnType<typeof aNoticeRig>) => void, url?: string) {
    const inbox = await anInbox();
    const rig = aNoticeRig(aMailer(inbox), url ?? null);
    act(rig);
    await rig.step();
    const { mail } = await eventually("the mail is there", () => inbox.mails[0] ?? null);
    return { mail, text: mail.text ?? "", html: mail.html ?? "", rig };
  }

  it("step() tells of a conflict what each side wants, in the reader's own zone", async () => {
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
        problem: "title was changed by somebody else as well",
        clash: { before: { ...rig.event, title: "Review of Ben" }, conflicts: [] },
      });
    }, "https://calendar.example.com");
    expect(mail.subject).toBe("Not applied: Review of Ben – changed by somebody else as well");
    for (const line of [
      "Somebody else has changed it since you saw it.",
      "  Title: Design <review>",
      "  Title: Review of Ben",
      "  When: Tue 24 Nov 2026, 13:00–14:00 (Europe/Lisbon)",
      "  When: Tue 24 Nov 2026, 09:00–10:00 (Europe/Lisbon)",
      "  Reminder: none",
      "  Reminder: 15 minutes before",
      "  Assigned: Ana, Ben",
      "https://calendar.example.com/#waiting",
      "dayferry edits resolve 1 --keep theirs",
      "dayferry edits discard 1",
    ]) {
      expect(text).toContain(line);
    }
    expect(html).toContain("<bdi>Design &lt;review&gt;</bdi>");
    expect(html).not.toContain("<review>");
    expect(html).toContain('href="https://calendar.example.com/#waiting"');
    expect(mail.headers).toContainEqual(
      expect.objectContaining({ key: "auto-submitted", value: "auto-generated" }),
    );
  });

  it("step() tells why the workspace refused, and names no dashboard without an address", async () => {
    const { mail, text } = await mailOf((rig) => {
      rig.wish({ patch: { title: "Renamed" } });
      rig.park(refused);
    });
    expect(mail.subject).toBe("Not applied: Design review – the workspace refused it");
    expect(text).toContain("The workspace refused it: the title is too long.");
    expect(text).toContain("  Title: Design review");
    expect(text).not.toContain("dashboard");
  });

  it("step() tells of a creation that it is not there", async () => {
    const { text } = await mailOf((rig) => {
      const item = rig.store.mirror.createIdentity("event", "new@calendar");
      rig.wish({ action: "create", item, base: { ...rig.event, id: null, title: "Party" } });
      rig.park({ reason: "unknown-outcome", problem: "the answer was lost" });
    });
    expect(text).toContain("You wanted to create it:\n  Title: Party\n  When: Tue 24 Nov 2026");
    expect(text).toContain("As far as is known, the workspace does not have it.");
    expect(text).toContain("first looks whether it has arrived");
  });

  it("step() tells of a deletion what was changed meanwhile", async () => {
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
    expect(text).toContain("You wanted to delete it.\n\nThe workspace has:\n  Title: New\n");
  });

  it("step() tells nothing of an item that is not open to the editor any more", async () => {
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
    expect(text).toContain("It is not open to you any more.");
    expect(`${mail.subject} ${text} ${html}`).not.toContain("Secret");
  });

  it("step() lets neither title nor name nor problem add a header or a line of their own", async () => {
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
