import type { EditExtra } from "../../domain/edit-extra.ts";
import type { ServiceId } from "../../domain/ids.ts";
import type { Edit } from "../../domain/journal.ts";
import type { Result } from "../../domain/result.ts";
import type { Store } from "../../store/store.ts";
import type { Call, Upstream } from "../../upstream/client.ts";
import type { Failure } from "../../upstream/failure.ts";
import type { Trouble } from "./make-once.ts";

/** A wish beside an edit on its way. */
export interface ExtraErrand {
  readonly extra: EditExtra;
  readonly edit: Edit;
  readonly store: Store;
  readonly upstream: Upstream;
  readonly call: Call;
  readonly clock: () => Temporal.Instant;
  /** Stores a note now, or once the disk takes it. */
  readonly keep: (note: () => void) => void;
}

export const trouble = (failure: Failure): Trouble => ({ kind: "failed", failure });

/** How carrying out one wish ended; its id where the service has named one. */
export type Made = Result<ServiceId | null, Trouble>;

/** The wish as the store names the request for it. */
export const requestOf = ({ id }: EditExtra): string => `extra:${id}`;
