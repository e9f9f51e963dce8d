-- A hundredth is told from all that is between it and the next one.
DROP INDEX "agent_memory_facets_of_confidence";
CREATE INDEX "agent_memory_facets_of_confidence" ON "agent_memory"("tenant_id", "environment", "state", "test_mode", "restricted_agent_ids", ((floor("confidence"::numeric * 100) + ceil("confidence"::numeric * 100))::int), "created_at" DESC, "id" DESC);
