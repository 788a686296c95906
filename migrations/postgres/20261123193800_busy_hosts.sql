-- Create "busy_hosts" table: which process reads a host, or until when the host rests. It belongs to no workspace, and matters for minutes.
CREATE UNLOGGED TABLE "busy_hosts" ("host" character varying NOT NULL, "holder" character varying NOT NULL, "free_at" timestamptz NOT NULL, PRIMARY KEY ("host"));
CREATE INDEX "busyhost_free_at" ON "busy_hosts" ("free_at");
