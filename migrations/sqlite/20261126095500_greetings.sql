-- Add the owner's greeting and suggested questions; empty ones are made from the documents
ALTER TABLE `chatbots` ADD COLUMN `welcome` text NOT NULL DEFAULT ('');
ALTER TABLE `chatbots` ADD COLUMN `suggested_questions` text NOT NULL DEFAULT ('');
