-- Held edits that an agent proposed: their editor may approve them. Others wait for the admin.
CREATE TABLE edit_proposals (
  edit INTEGER PRIMARY KEY REFERENCES edits (id) ON DELETE CASCADE
) STRICT;

-- Tokens by which agents use the MCP server as a person. digest: SHA-256 of the token, which is shown once.
CREATE TABLE access_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  person INTEGER NOT NULL,
  name TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('read', 'propose', 'edit')),
  digest TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  used_at TEXT
) STRICT;
