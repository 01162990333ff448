import type { PersonId, ProjectId } from "../../domain/ids.ts";
import { type KeySight, keySightRow } from "../rows/directory.ts";
import { instantText } from "../rows/rows.ts";
import type { Changes, StoreDeps } from "../view/changes.ts";

interface At {
  readonly person: PersonId;
  readonly project: ProjectId;
}

/** Which projects the keys of people open, as far as the service was asked. */
export interface KeySights {
  get(at: At): KeySight | null;
  /** Notes an answer; names have changed where it opens or closes a project for the person. */
  put(answer: At & { readonly isOpen: boolean }): void;
  /** Projects that the person's key does not open. */
  closedFor(person: PersonId): ReadonlySet<ProjectId>;
}

export function createKeySights({
  db,
  clock,
  changes,
}: StoreDeps & { readonly changes: Changes }): KeySights {
  const one = db.prepare("SELECT * FROM key_sights WHERE person = ? AND project_id = ?");
  const ofPerson = db.prepare("SELECT * FROM key_sights WHERE person = ?");
  const upsert = db.prepare(
    `INSERT INTO key_sights (person, project_id, opened, refusals, at) VALUES (@person, @project, @open, 1 - @open, @now)
     ON CONFLICT (person, project_id) DO UPDATE SET opened = max(opened, @open),
       refusals = iif(@open = 1, 0, refusals + 1), at = @now`,
  );
  const get = ({ person, project }: At) => {
    const row = one.get(person, project);
    return row === undefined ? null : keySightRow(row);
  };
  return {
    get,
    put: db.transaction(({ isOpen, ...at }: At & { readonly isOpen: boolean }) => {
      const before = get(at);
      upsert.run({ ...at, open: isOpen ? 1 : 0, now: instantText(clock()) });
      const after = get(at);
      if ((before !== null && isClosed(before)) !== (after !== null && isClosed(after)))
        changes.directoryChanged();
    }),
    closedFor: (person) =>
      new Set(
        ofPerson
          .all(person)
          .map(keySightRow)
          .filter(isClosed)
          .map(({ project }) => project),
      ),
  };
}

/** One refusal of what was open before may be a mistake of the moment. */
const isClosed = ({ opened, refusals }: KeySight): boolean => refusals > (opened ? 1 : 0);
