-- Modify "documents" table
ALTER TABLE "documents" ADD COLUMN "begun" bigint NOT NULL DEFAULT 0;
-- Modify "passages" table
ALTER TABLE "passages" ADD COLUMN "begun" bigint NOT NULL DEFAULT 0;
-- Modify "sources" table
ALTER TABLE "sources" ADD COLUMN "begun" bigint NOT NULL DEFAULT 0;
-- Modify "test_runs" table
ALTER TABLE "test_runs" ADD COLUMN "begun" bigint NOT NULL DEFAULT 0;
