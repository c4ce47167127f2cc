-- Conversations as Cursor keeps them in globalStorage/state.vscdb, with the fields that matter here.
CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
INSERT INTO cursorDiskKV VALUES
  ('composerData:c-1',
   '{"_v":10,"composerId":"c-1","createdAt":4070908800000,"workspaceIdentifier":{"id":"w","uri":{"fsPath":"/home/ada/shop","scheme":"file"}},"fullConversationHeadersOnly":[{"bubbleId":"b-1","type":1},{"bubbleId":"b-2","type":2}],"originalFileStates":{}}'),
  ('composerData:c-2', '{"_v":10,"composerId":"c-2","fullConversationHeadersOnly":[],"createdAt":4070908800000}'),
  ('composerData:c-3', NULL),
  ('bubbleId:c-1:b-1',
   CAST('{"_v":3,"type":1,"bubbleId":"b-1","text":"We decided to keep billing in PostgreSQL.","createdAt":"2099-01-01T00:00:01.000Z"}' AS BLOB)),
  ('bubbleId:c-1:b-2',
   '{"_v":3,"type":2,"bubbleId":"b-2","text":"Billing stays in PostgreSQL.","createdAt":"2099-01-01T00:00:02.000Z","toolFormerData":{}}'),
  ('checkpointId:c-1:k-1', '{"files":[]}');
