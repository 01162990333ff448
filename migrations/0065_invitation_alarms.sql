-- A second kind of mail that people get only if they choose it: an alarm in each invitation.
CREATE TABLE mail_opt_ins_widened (
  person INTEGER NOT NULL,
  choice TEXT NOT NULL CHECK (choice IN ('invitations', 'alarms')),
  on_at TEXT NOT NULL,
  PRIMARY KEY (person, choice)
) STRICT, WITHOUT ROWID;
INSERT INTO mail_opt_ins_widened SELECT * FROM mail_opt_ins;
DROP TABLE mail_opt_ins;
ALTER TABLE mail_opt_ins_widened RENAME TO mail_opt_ins;
