-- AlterEnum
ALTER TYPE "callback_match_reason" ADD VALUE 'START_REFUSED';

-- AlterTable
ALTER TABLE "callback_match" ADD COLUMN     "comparisons" JSONB,
ADD COLUMN     "refusal_code" TEXT,
ADD COLUMN     "refusal_message" TEXT;

-- The index has the matches of an agent with each result, and so the matches that made it run.
DROP INDEX "callback_match_agent_matched";
CREATE INDEX "callback_match_agent_result" ON "callback_match"("tenant_id", "environment", "agent_id", "result", "received_at" DESC, "callback_id" DESC);

-- Searches look in the number. A callback without one has no trigrams.
ALTER TABLE "callback" ADD COLUMN     "search_text" TEXT GENERATED ALWAYS AS (lower(normalize("entity_number", NFKC))) STORED;
CREATE INDEX "callback_search" ON "callback" USING GIN ("search_text" gin_trgm_ops);

-- The funnel reads from the index whether a callback is of a webhook.
DROP INDEX "callback_recent";
CREATE INDEX "callback_recent" ON "callback"("tenant_id", "environment", "received_at" DESC, "id" DESC, "status", "entity_type", "entity_id", "change_types", "psa_changed_at", "sleep_seconds", "wait_seconds", "psa_wait_seconds", "work_seconds", "processed_at", "source");
