import type { Edit } from "../domain/edit.ts";
import { fingerprint } from "../domain/fingerprint.ts";
import type { EditId, PersonId } from "../domain/ids.ts";
import type { Item, Person } from "../domain/item.ts";
import type { Mail } from "../mail/mail.ts";
import { type NoticeKey, noticeKey } from "../store/mails/ledger.ts";
import type { Store } from "../store/store.ts";
import { renderMail } from "./mail-content.ts";
import { isBefore } from "./plan-mails.ts";
import {
  emailAddressOf,
  envelope,
  inLanguageOf,
  isOpenTo,
  type MailDeps,
  mayBegin,
  readerBy,
  unsubscribeFor,
  zoneFor,
} from "./recipients.ts";
import { noticeContent, noticesContent, type Parking } from "./render-notices.ts";
import { type MailEnding, type MailTopic, newMessageId, sendOnce } from "./send-once.ts";

/** Result of notifying somebody of a parked edit. */
export type NoticeEvent = {
  readonly edit: EditId;
  readonly person: PersonId;
  readonly messageId: string;
} & MailEnding;

interface NoticesDeps extends MailDeps {
  /** Public URL of this server, without a trailing slash; null if only this machine reaches it. */
  readonly publicUrl: string | null;
  readonly onEvent: (event: NoticeEvent) => void;
}

/** A mail delayed longer than this is outdated and dropped. */
const retryFor = Temporal.Duration.from({ hours: 72 });

/** More edits of one person than this are combined into one mail: a whole file may be rejected at once. */
const mostApart = 5;

/** One mail about one or several parked edits. */
interface NoticeMail {
  readonly messageId: string;
  readonly edits: readonly Edit[];
}

interface Notice extends MailTopic<NoticeKey> {
  readonly edit: Edit;
  readonly editor: Person;
}

/** Mails editors about their parked edits, once per parking. */
export function createParkingNotices(deps: NoticesDeps) {
  const { store, clock, onEvent } = deps;

  /** Read again, because a person may have decided while another mail was being sent. */
  function readAgain(listed: Edit): Notice | null {
    const edit = store.journal.get(listed.id);
    if (edit?.state !== "parked" || !edit.updatedAt.equals(listed.updatedAt)) return null;
    const reader = readerBy(edit.actor, deps);
    const lapsesAt = edit.updatedAt.add(retryFor);
    if (!reader?.wants("notices") || isBefore(lapsesAt, clock())) return null;
    if (reader.since && isBefore(edit.updatedAt, reader.since)) return null;
    return { key: noticeKey(edit), lapsesAt, edit, editor: reader.person };
  }

  async function send({ messageId, edits }: NoticeMail): Promise<readonly NoticeEvent[]> {
    const things = edits.flatMap((edit) => readAgain(edit) ?? []);
    const [first] = things;
    if (!first) return [];
    const endings = await sendOnce(
      {
        things,
        messageId,
        address: emailAddressOf(first.editor, deps),
        compose: (taken) => inLanguageOf(first.editor, deps, () => compose(taken, messageId, deps)),
      },
      { ...deps, queue: store.notices },
    );
    return endings.map(({ thing: { edit, editor }, ending }) => ({
      edit: edit.id,
      person: editor.id,
      messageId,
      ...ending,
    }));
  }

  return {
    /** Sends what is due; "idle" if nothing was. Starts no further mail after an abort. Not reentrant. */
    step: async (signal: AbortSignal): Promise<"idle" | "worked"> => {
      let outcome: "idle" | "worked" = "idle";
      const open = store.notices.open().filter((edit) => readAgain(edit));
      for (const mail of combineNotices(open, store)) {
        if (signal.aborted || !mayBegin(deps)) break;
        for (const event of await send(mail)) {
          outcome = "worked";
          onEvent(event);
        }
      }
      return outcome;
    },
  };
}

/** A mail that was started is resent unchanged. */
function combineNotices(open: readonly Edit[], store: Store): readonly NoticeMail[] {
  const { installation } = store.meta;
  const idOf = (edit: Edit) => messageIdOf(noticeKey(edit), installation);
  const begunAs = new Map(
    open.map((edit) => [edit.id, store.notices.get(noticeKey(edit))?.messageId ?? null]),
  );
  const begun = Map.groupBy(open, (edit) => begunAs.get(edit.id) ?? "");
  const fresh = Map.groupBy(begun.get("") ?? [], ({ actor }) => actor);
  return [
    ...[...begun].flatMap(([messageId, edits]) => (messageId === "" ? [] : [{ messageId, edits }])),
    ...[...fresh.values()].flatMap((edits) =>
      edits.length > mostApart
        ? [{ messageId: combinedId(edits.map(idOf), installation), edits }]
        : edits.map((edit) => ({ messageId: idOf(edit), edits: [edit] })),
    ),
  ];
}

/** The same for the same parking, also after a restart, and not guessable from outside. */
function messageIdOf({ edit, parkedAt }: NoticeKey, installation: string): string {
  return newMessageId(["parked", edit, parkedAt], installation);
}

const combinedId = (ids: readonly string[], installation: string): string =>
  `<${fingerprint(ids.join(" "))}@${installation}>`;

function compose(notices: readonly Notice[], messageId: string, deps: NoticesDeps): Mail {
  const [first] = notices;
  if (!first) throw new Error(`mail ${messageId} has no content`);
  const { installation } = deps.store.meta;
  const address = { person: first.editor, choice: "notices", messageId } as const;
  const unsubscribe = unsubscribeFor(address, deps);
  const isAlone = notices.length === 1 && messageId === messageIdOf(first.key, installation);
  const { publicUrl } = deps;
  const parkings = notices.map(
    ({ edit, editor }): Parking => ({
      ...parkingOf({ edit, editor }, deps),
      publicUrl,
      unsubscribe,
    }),
  );
  const [only] = parkings;
  return {
    ...envelope(address, deps),
    ...renderMail(
      isAlone && only ? noticeContent(only) : noticesContent(parkings, publicUrl, unsubscribe),
    ),
    calendar: null,
  };
}

function parkingOf(
  { edit, editor }: Pick<Notice, "edit" | "editor">,
  { store, zone }: NoticesDeps,
): Omit<Parking, "publicUrl" | "unsubscribe"> {
  const { directory } = store;
  const now = presentOf(edit, store);
  return {
    edit,
    reason: edit.parkReason ?? "failed",
    editor,
    now,
    isOpen: now === null || isOpenTo(editor.id, now, directory),
    names: {
      people: directory.personNames(),
      labels: directory.labelNames(),
      project: (id) => directory.project(id)?.title ?? null,
      list: (id) => directory.todolist(id)?.title ?? null,
      zone: zoneFor(editor, zone),
    },
  };
}

/** A conflict is known from the service's last response, which the mirror may not have yet. */
function presentOf({ item, before, parkReason }: Edit, { view }: Store): Item | null {
  const shown = view.get(item)?.item ?? null;
  return parkReason === "conflict" ? (before ?? shown) : shown;
}
