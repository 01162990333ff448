// Written by `npm run reference` from the migrations.

/** The columns of each table. */
export interface Tables {
  readonly absences: {
    readonly item: number;
    readonly source: string;
    readonly noticed_at: string;
    readonly confirmed_at: string | null;
  };
  readonly access_tokens: {
    readonly id: number;
    readonly person: number;
    readonly name: string;
    readonly scope: "read" | "propose" | "edit";
    readonly digest: string;
    readonly created_at: string;
    readonly used_at: string | null;
  };
  readonly app_passwords: {
    readonly person: number;
    readonly salt: string;
    readonly digest: string;
    readonly created_at: string;
  };
  readonly applied_bodies: {
    readonly source: string;
    readonly reader: string;
    readonly digest: string;
    readonly items: number;
    readonly followed: string;
  };
  readonly applied_pages: {
    readonly page: number;
    readonly reader: string;
    readonly digest: string;
    readonly total: number;
    readonly elements: string;
    readonly said: string;
  };
  readonly attempts: {
    readonly id: number;
    readonly edit: number | null;
    readonly act: "create" | "move" | "change" | "delete" | "label" | "extra";
    readonly what: string | null;
    readonly claim: number;
    readonly repeats: 0 | 1;
    readonly item: number | null;
    readonly service_id: number | null;
    readonly patch: string | null;
    readonly before: string | null;
    readonly known: string;
    readonly newest_item: number | null;
    readonly sent_at: string;
    readonly ended_at: string | null;
    readonly lands_until: string | null;
    readonly next_look: string | null;
    readonly failures: number;
    readonly landed_at: string | null;
  };
  readonly beliefs: {
    readonly source: string;
    readonly form: number;
    readonly polled_at: number;
    readonly last_change: number | null;
    readonly changes: number;
    readonly gaps: number;
    readonly gap_seconds: number;
    readonly odds: Uint8Array | null;
    readonly hours: Uint8Array | null;
  };
  readonly brakes: {
    readonly source: string;
    readonly held_at: string;
    readonly missing: number;
    readonly total: number;
    readonly needs_person: 0 | 1;
    readonly released_at: string | null;
  };
  readonly cache_purges: {
    readonly feed: number;
    readonly version: number;
    readonly slug: string;
    readonly ended: 0 | 1;
    readonly asks: number;
    readonly told: number;
    readonly tries: number;
    readonly asked_at: string;
    readonly due_at: string;
    readonly problem: string | null;
  };
  readonly calendar_properties: {
    readonly person: number;
    readonly calendar: string;
    readonly property: string;
    readonly value: string;
  };
  readonly candidates: {
    readonly edit: number;
    readonly kind: "event" | "task" | "subtask";
    readonly service_id: number;
    readonly content: string;
    readonly seen_at: string;
  };
  readonly changes: {
    readonly revision: number;
    readonly at: string;
    readonly collection: string;
    readonly item: number | null;
    readonly act: "put" | "bury";
    readonly audience: string | null;
    readonly quiet: 0 | 1;
  };
  readonly collections: {
    readonly name: string;
    readonly project_id: number;
    readonly revision: number;
  };
  readonly comments: {
    readonly id: number;
    readonly project_id: number;
    readonly list_id: number;
    readonly task_id: number;
    readonly description: string;
    readonly creator_id: number | null;
    readonly by_me: 0 | 1;
    readonly created_at: string | null;
    readonly gone_at: string | null;
  };
  readonly common_beliefs: {
    readonly id: number;
    readonly form: number;
    readonly content: string;
  };
  readonly edit_extras: {
    readonly id: number;
    readonly edit: number;
    readonly kind: "comment" | "attachment" | "kept";
    readonly target: "task" | "item" | "folder" | "here";
    readonly name: string;
    readonly media_type: string | null;
    readonly text: string | null;
    readonly content: Uint8Array | null;
    readonly digest: string;
    readonly state: "pending" | "claimed" | "done" | "parked";
    readonly problem: string | null;
    readonly attempts: number;
    readonly not_before: string | null;
    readonly sent_at: string | null;
    readonly file_id: string | null;
    readonly answer_id: number | null;
    readonly created_at: string;
    readonly updated_at: string;
    readonly waits_for: "service" | "key" | null;
  };
  readonly edit_proposals: {
    readonly edit: number;
  };
  readonly edit_series: {
    readonly edit: number;
    readonly first: number;
  };
  readonly edit_steps: {
    readonly edit: number;
    readonly round: number;
    readonly kind:
      | "taken-up"
      | "sent"
      | "missed"
      | "found"
      | "postponed"
      | "conflict"
      | "refused"
      | "failed"
      | "unknown-outcome"
      | "approved"
      | "released"
      | "resolved"
      | "confirmed"
      | "overtaken"
      | "discarded"
      | "undone";
    readonly detail: string;
    readonly at: string;
    readonly last_at: string;
    readonly times: number;
    readonly decided_by: string | null;
  };
  readonly edits: {
    readonly id: number;
    readonly channel: "upload" | "cli" | "inbox" | "subscription" | "link" | "caldav" | "dashboard";
    readonly actor: number | null;
    readonly item: number;
    readonly action: "create" | "update" | "complete" | "reopen" | "delete";
    readonly base: string;
    readonly patch: string;
    readonly new_labels: string;
    readonly state:
      | "pending"
      | "claimed"
      | "confirmed"
      | "parked"
      | "held"
      | "discarded"
      | "undone";
    readonly park_reason: "conflict" | "refused" | "failed" | "unknown-outcome" | null;
    readonly problem: string | null;
    readonly attempts: number;
    readonly not_before: string | null;
    readonly answer: string | null;
    readonly created_at: string;
    readonly updated_at: string;
    readonly before: string | null;
    readonly conflicts: string;
    readonly insisted: 0 | 1;
    readonly frozen: 0 | 1;
    readonly undoes: number | null;
    readonly confirmed_at: string | null;
    readonly missed_at: string | null;
    readonly key_refused_at: string | null;
    readonly shown: string | null;
    readonly restores: string | null;
    readonly begun: number;
    readonly waits_for: "service" | "key" | null;
    readonly parked_with: number | null;
    readonly program: string | null;
  };
  readonly event_hooks: {
    readonly id: number;
    readonly owner: number | null;
    readonly name: string;
    readonly address: string;
    readonly secret: string;
    readonly events: string;
    readonly project: number | null;
    readonly person: number | null;
    readonly created_at: string;
  };
  readonly feed_fetches: {
    readonly feed: number;
    readonly program: string;
    readonly agent: string;
    readonly first_at: string;
    readonly last_at: string;
    readonly visits: number;
    readonly etag: string;
    readonly revision: number;
    readonly modified_at: string;
    readonly gaps: string;
  };
  readonly feed_states: {
    readonly feed: number;
    readonly inputs: string;
    readonly etag: string;
    readonly modified_at: string;
    readonly items: number;
    readonly bytes: number;
  };
  readonly feeds: {
    readonly id: number;
    readonly kind: "project" | "person" | "all";
    readonly automatic: 0 | 1;
    readonly project_id: number | null;
    readonly person_id: number | null;
    readonly filter: string | null;
    readonly colour: string | null;
    readonly name: string;
    readonly given_name: string | null;
    readonly version: number;
    readonly created_at: string;
    readonly revoked_at: string | null;
    readonly fetched_at: string | null;
    readonly fetched_by: string | null;
  };
  readonly files: {
    readonly id: number;
    readonly project_id: number;
    readonly folder_id: number;
    readonly name: string;
    readonly byte_size: number | null;
    readonly file_type: string | null;
    readonly url: string | null;
    readonly creator_id: number | null;
    readonly by_me: 0 | 1;
    readonly created_at: string | null;
    readonly updated_at: string | null;
    readonly gone_at: string | null;
  };
  readonly folders: {
    readonly id: number;
    readonly project_id: number;
    readonly name: string;
    readonly parent_id: number | null;
    readonly type: string | null;
    readonly gone_at: string | null;
  };
  readonly former_names: {
    readonly kind: "label" | "person";
    readonly id: number;
    readonly name: string;
  };
  readonly fragments: {
    readonly feed: number;
    readonly item: number;
    readonly field: number;
    readonly inputs: string;
    readonly sequence: number;
    readonly body: string;
  };
  readonly gate_rest: {
    readonly id: number;
    readonly noted_at: string;
    readonly paused_until: string;
    readonly share: number;
    readonly quiet_since: string;
  };
  readonly gate_slots: {
    readonly slot: number;
    readonly started_at: string;
    readonly answered_at: string | null;
  };
  readonly held_objects: {
    readonly edit: number;
    readonly name: string;
    readonly component: "VEVENT" | "VTODO" | null;
    readonly uid: string | null;
    readonly raw: string | null;
    readonly body: Uint8Array | null;
    readonly rendered: string | null;
    readonly stale: 0 | 1;
    readonly agent: string | null;
    readonly at: string;
  };
  readonly history_entries: {
    readonly task_id: number;
    readonly id: number;
    readonly project_id: number;
    readonly list_id: number;
    readonly person_id: number | null;
    readonly action: string;
    readonly activity_at: string | null;
    readonly activity_on: string | null;
    readonly content: string | null;
    readonly detailed_at: string | null;
  };
  readonly hook_cursors: {
    readonly hook: string;
    readonly revision: number;
    readonly began_at: string;
    readonly skipped_at: string | null;
  };
  readonly identities: {
    readonly item: number;
    readonly kind: "event" | "task" | "subtask";
    readonly service_id: number | null;
    readonly uid: string;
    readonly sequence: number;
    readonly modified_at: string;
    readonly created_at: string;
    readonly merged_into: number | null;
  };
  readonly inbox_files: {
    readonly path: string;
    readonly stamp: string;
    readonly target: string;
    readonly report: string;
    readonly applied_at: string;
  };
  readonly invitations: {
    readonly person: number;
    readonly item: number;
    readonly uid: string;
    readonly sequence: number;
    readonly digest: string;
    readonly content: string;
  };
  readonly kept_pages: {
    readonly round: number;
    readonly page: number;
    readonly content: string;
  };
  readonly key_sights: {
    readonly person: number;
    readonly project_id: number;
    readonly opened: 0 | 1;
    readonly refusals: number;
    readonly at: string;
  };
  readonly labels: {
    readonly id: number;
    readonly name: string;
    readonly color: string | null;
    readonly gone_at: string | null;
  };
  readonly login_links: {
    readonly id: number;
    readonly person: number;
    readonly next: string;
    readonly asked_at: string;
    readonly until: string;
    readonly used_at: string | null;
  };
  readonly mail_choices: {
    readonly person: number;
    readonly choice: "events" | "milestones" | "tasks" | "overdue" | "digest" | "notices" | "all";
    readonly off_at: string;
  };
  readonly mail_opening: {
    readonly one: number;
    readonly opened_at: string;
  };
  readonly mail_opt_ins: {
    readonly person: number;
    readonly choice: "invitations" | "alarms";
    readonly on_at: string;
  };
  readonly meta: {
    readonly name: string;
    readonly value: string;
  };
  readonly mirror_items: {
    readonly item: number;
    readonly source: string;
    readonly content: string;
    readonly by_me: 0 | 1;
    readonly updated_at: string | null;
  };
  readonly object_names: {
    readonly item: number;
    readonly revision: number;
    readonly name: string;
    readonly person: number | null;
  };
  readonly objects: {
    readonly item: number;
    readonly component: "VEVENT" | "VTODO";
    readonly channel: string;
    readonly uid: string;
    readonly raw: string;
    readonly body: Uint8Array | null;
    readonly rendered: string | null;
    readonly stale: 0 | 1;
    readonly overlaid: string | null;
    readonly actor: number | null;
    readonly agent: string | null;
    readonly at: string;
  };
  readonly outbox: {
    readonly way: string;
    readonly kind: string;
    readonly subject: number;
    readonly occasion: string;
    readonly lead: string;
    readonly person: number;
    readonly state: "claimed" | "sent" | "deferred" | "rejected" | "dropped" | "empty";
    readonly message_id: string;
    readonly address: string | null;
    readonly attempts: number;
    readonly not_before: string | null;
    readonly problem: string | null;
    readonly code: number | null;
    readonly claimed_at: string;
    readonly settled_at: string | null;
  };
  readonly page_readings: {
    readonly round: number;
    readonly form: number;
    readonly head: string;
  };
  readonly parent_waits: {
    readonly edit: number;
    readonly parent: number | null;
    readonly uid: string | null;
  };
  readonly people: {
    readonly id: number;
    readonly name: string;
    readonly email: string | null;
    readonly time_zone: string | null;
    readonly suspended: 0 | 1;
    readonly gone_at: string | null;
  };
  readonly person_languages: {
    readonly person: number;
    readonly language: string;
    readonly is_chosen: 0 | 1;
  };
  readonly person_reminders: {
    readonly person: number;
    readonly times: string;
  };
  readonly person_webhooks: {
    readonly person: number;
    readonly format: "json" | "ntfy";
    readonly address: string;
    readonly token: string | null;
    readonly with_mail: 0 | 1;
    readonly set_at: string;
  };
  readonly projects: {
    readonly id: number;
    readonly title: string;
    readonly description: string | null;
    readonly color: string | null;
    readonly archived: 0 | 1;
    readonly members: string;
    readonly gone_at: string | null;
    readonly read_at: string | null;
  };
  readonly push_registrations: {
    readonly id: number;
    readonly name: string;
    readonly person: number;
    readonly calendar: string;
    readonly resource: string;
    readonly sealed: string;
    readonly content: 0 | 1;
    readonly properties: 0 | 1;
    readonly expires_at: string;
    readonly token: string;
    readonly look: string;
    readonly sent_at: string | null;
  };
  readonly reported_troubles: {
    readonly identity: string;
    readonly trouble: string;
  };
  readonly rounds: {
    readonly round: number;
    readonly begun_at: string;
    readonly ended_at: string | null;
  };
  readonly schema_migration: {
    readonly version: number;
    readonly name: string;
    readonly sha256: string;
    readonly applied_at: string;
  };
  readonly seen_changes: {
    readonly collection: string;
    readonly person: number;
    readonly revision: number;
  };
  readonly sessions: {
    readonly id: number;
    readonly digest: string;
    readonly person: number | null;
    readonly way: "token" | "password" | "link";
    readonly proxied: string | null;
    readonly agent: string;
    readonly began_at: string;
    readonly used_at: string;
    readonly until: string;
  };
  readonly sources: {
    readonly name: string;
    readonly kind:
      | "projects"
      | "people"
      | "labels"
      | "todolists"
      | "events"
      | "tasks"
      | "subtasks"
      | "folders"
      | "files"
      | "comments"
      | "history";
    readonly project_id: number | null;
    readonly list_id: number | null;
    readonly task_id: number | null;
    readonly folder_id: number | null;
    readonly seen: string | null;
    readonly attempted_at: string | null;
    readonly succeeded_at: string | null;
    readonly failure: string | null;
    readonly failures: number;
    readonly items: number;
    readonly refused_at: string | null;
    readonly round: number | null;
  };
  readonly storage_checks: {
    readonly one: number;
    readonly at: string;
    readonly filler: Uint8Array;
  };
  readonly subscription_items: {
    readonly subscription: string;
    readonly uid: string;
    readonly known_as: string | null;
    readonly project_id: number | null;
    readonly shown: string;
    readonly missing: number;
    readonly missing_at: string | null;
  };
  readonly subscriptions: {
    readonly name: string;
    readonly address: string;
    readonly etag: string | null;
    readonly last_modified: string | null;
    readonly body: string | null;
    readonly baseline_at: string | null;
    readonly attempted_at: string | null;
    readonly succeeded_at: string | null;
    readonly changed_at: string | null;
    readonly next_at: string | null;
    readonly failures: number;
    readonly problem: string | null;
    readonly notes: string;
    readonly reissues: 0 | 1;
  };
  readonly todolists: {
    readonly id: number;
    readonly project_id: number;
    readonly title: string;
    readonly archived: 0 | 1;
    readonly private: 0 | 1;
    readonly gone_at: string | null;
    readonly opened_revision: number | null;
  };
  readonly troubles: {
    readonly id: number;
    readonly identity: string;
    readonly trouble: string;
    readonly since: string;
    readonly gone_at: string | null;
    readonly over_at: string | null;
  };
  readonly versions: {
    readonly item: number;
    readonly revision: number;
    readonly sequence: number;
    readonly at: string;
    readonly collection: string;
    readonly content: string | null;
    readonly modified_at: string | null;
    readonly had: string | null;
    readonly edited: 0 | 1 | 2;
  };
  readonly view_items: {
    readonly item: number;
    readonly collection: string;
    readonly content: string;
  };
}
