-- Sessions as opencode 1.18 keeps them in opencode.db, with the columns that matter here.
CREATE TABLE session (
  id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL,
  directory text NOT NULL, title text NOT NULL, version text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL
);
CREATE TABLE message (
  id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL
);
CREATE TABLE part (
  id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL
);
INSERT INTO session VALUES
  ('ses_1', 'global', NULL, 'sunny-island', '/home/ada/shop', 'Billing', '1.18.33', 4070908800000, 4070908800000),
  ('ses_2', 'global', 'ses_1', 'calm-river', '/home/ada/shop', 'Subagent', '1.18.33', 4070908800000, 4070908800000);
INSERT INTO message VALUES
  ('msg_1', 'ses_1', 4070908801000, 4070908801000,
   '{"role":"user","time":{"created":4070908801000},"agent":"build","summary":{"diffs":[]}}'),
  ('msg_2', 'ses_1', 4070908802000, 4070908802000,
   '{"parentID":"msg_1","role":"assistant","mode":"build","path":{"cwd":"/home/ada/shop"},"finish":"stop"}'),
  ('msg_3', 'ses_2', 4070908803000, 4070908803000, '{"role":"user"}'),
  ('msg_4', 'ses_1', 4070908804000, 4070908804000, '{ broken');
INSERT INTO part VALUES
  ('prt_1', 'msg_1', 'ses_1', 4070908801000, 4070908801000,
   '{"type":"text","text":"We decided to keep billing in PostgreSQL."}'),
  ('prt_2', 'msg_2', 'ses_1', 4070908802000, 4070908802000,
   '{"snapshot":"4b825dc6","type":"step-start"}'),
  ('prt_3', 'msg_2', 'ses_1', 4070908802000, 4070908802000,
   '{"type":"text","text":"Billing stays in PostgreSQL.","time":{"start":4070908802000}}'),
  ('prt_4', 'msg_2', 'ses_1', 4070908802000, 4070908802000,
   '{"type":"tool","tool":"read","state":{"output":"a whole file"}}'),
  ('prt_5', 'msg_3', 'ses_2', 4070908803000, 4070908803000,
   '{"type":"text","text":"Look for the file of the subagent."}');
