-- The expression of a generated column cannot be changed. Its index goes with it.
ALTER TABLE "execution" DROP COLUMN "search_text";

ALTER TABLE "execution" ADD COLUMN "search_text" TEXT NOT NULL GENERATED ALWAYS AS (lower(coalesce("entity_number", '') || chr(10) || coalesce("entity_id", '') || chr(10) || coalesce("message_for_dashboard", ''))) STORED;

-- CreateIndex
CREATE INDEX "execution_search" ON "execution" USING GIN ("search_text" gin_trgm_ops);
