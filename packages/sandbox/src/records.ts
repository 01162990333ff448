/** What a person may do: the owner sees everything, a client only reads. */
type Role = "owner" | "member" | "client";

export interface PersonRecord {
  readonly id: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly title: string;
  readonly email: string;
  readonly role: Role;
  /** The service's own number of a time zone, not an IANA name. */
  readonly timezone: number;
  readonly suspended: boolean;
  readonly projects: readonly number[];
  readonly apiKey: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ProjectRecord {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly archived: boolean;
  readonly color: string;
  readonly startOn: string | null;
  readonly endOn: string | null;
  readonly manager: number;
  readonly createdBy: number;
  readonly category: number;
  readonly customFields: readonly CustomFieldDefinition[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The types in the service's document and others that are known. */
type CustomFieldType =
  | "Currency"
  | "Date"
  | "Percentage"
  | "Text"
  | "Textarea"
  | "Numbers"
  | "Tags"
  | "Dropdown";

export interface CustomFieldDefinition {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly type: CustomFieldType;
  readonly currency?: string;
  readonly options?: readonly { readonly id: string; readonly name: string }[];
}

export interface TodolistRecord {
  readonly id: number;
  readonly project: number;
  readonly title: string;
  readonly archived: boolean;
  readonly milestone: number | null;
  readonly createdBy: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface FolderRecord {
  readonly id: number;
  readonly project: number;
  readonly name: string;
  readonly level: number;
  readonly parent: number | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Optional texts of an event, each with its key in requests and responses. */
export const eventTexts = ["description"] as const;
type EventTexts = { readonly [Name in (typeof eventTexts)[number]]: string | null };

export const textsOfEvent = (event: Partial<EventTexts>): EventTexts =>
  Object(Object.fromEntries(eventTexts.map((name) => [name, event[name] ?? null])));

/** `start` and `end` are local times of the account, `YYYY-MM-DD HH:MM`. */
export interface EventRecord extends EventTexts {
  readonly id: number;
  readonly project: number;
  readonly title: string;
  readonly start: string;
  /** null if missing: the event then ends with its start, or with its only day. */
  readonly end: string | null;
  /** How a missing end is returned; `equal` except in old data. */
  readonly bareEnd: "equal" | "absent" | "empty";
  readonly allDay: boolean;
  readonly milestone: boolean;
  readonly private: boolean;
  readonly completed: boolean;
  readonly reminder: number | null;
  readonly assigned: readonly number[];
  readonly createdBy: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Shared by tasks and subtasks. `…On` is `YYYY-MM-DD`. */
export interface WorkRecord {
  readonly id: number;
  readonly project: number;
  readonly list: number;
  readonly title: string;
  readonly description: string | null;
  readonly startOn: string | null;
  readonly dueOn: string | null;
  readonly estimatedHours: number | null;
  readonly estimatedMins: number | null;
  readonly loggedHours: number | null;
  readonly loggedMins: number | null;
  readonly assigned: readonly number[];
  readonly labels: readonly number[];
  readonly attachments: readonly number[];
  readonly percentProgress: number;
  readonly taskHistory: string | null;
  readonly completedAt: string | null;
  readonly completedBy: number | null;
  readonly createdBy: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface TaskRecord extends WorkRecord {
  readonly ticket: string;
  readonly rrule: string | null;
  readonly stage: number;
  readonly customFields: Readonly<Record<string, CustomFieldValue>>;
}

/** Option ids for Tags and Dropdown, text for the rest. */
export type CustomFieldValue = string | readonly string[];

export interface SubtaskRecord extends WorkRecord {
  readonly task: number;
}

export interface CommentRecord {
  readonly id: number;
  readonly project: number;
  readonly list: number;
  readonly task: number;
  readonly description: string;
  readonly createdBy: number;
  readonly createdAt: string;
}

export interface HistoryRecord {
  readonly id: number;
  readonly project: number;
  readonly task: number;
  readonly person: number;
  readonly at: string;
  readonly content: string;
}

export interface LabelRecord {
  readonly id: number;
  readonly name: string;
  readonly color: string;
}

export interface UploadRecord {
  readonly id: number;
  readonly project: number;
  readonly name: string;
  readonly type: string;
  readonly byteSize: number;
  readonly createdBy: number;
  readonly createdAt: string;
}

export interface FileRecord {
  readonly id: number;
  readonly project: number;
  readonly folder: number;
  readonly upload: number;
  readonly name: string;
  readonly byteSize: number;
  readonly createdBy: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}
