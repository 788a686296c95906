-- Add when a chatbot's model puts passages in order, and the tokens that this took
ALTER TABLE "chatbots" ADD COLUMN "rerank" character varying NOT NULL DEFAULT 'off';
ALTER TABLE "receipts" ADD COLUMN "rerank_tokens" bigint NOT NULL DEFAULT 0;
