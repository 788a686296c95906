-- Modify "messages" table
ALTER TABLE "messages" ADD COLUMN "finish_reason" character varying NOT NULL DEFAULT '';
-- Modify "receipts" table
ALTER TABLE "receipts" ADD COLUMN "finish_reason" character varying NOT NULL DEFAULT '';
