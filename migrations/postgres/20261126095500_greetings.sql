-- Modify "chatbots" table
ALTER TABLE "chatbots" ADD COLUMN "welcome" text NOT NULL DEFAULT '', ADD COLUMN "suggested_questions" text NOT NULL DEFAULT '';
