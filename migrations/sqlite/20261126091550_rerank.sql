-- Add when a chatbot's model puts passages in order, and the tokens that this took
ALTER TABLE `chatbots` ADD COLUMN `rerank` text NOT NULL DEFAULT ('off');
ALTER TABLE `receipts` ADD COLUMN `rerank_tokens` integer NOT NULL DEFAULT (0);
