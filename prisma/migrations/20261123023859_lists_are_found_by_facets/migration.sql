-- DropIndex
DROP INDEX "activity_entry_action_recent";

-- DropIndex
DROP INDEX "agent_memory_scope";

-- DropIndex
DROP INDEX "audit_entry_outcome_recent";

-- DropIndex
DROP INDEX "callback_change_types";

-- DropIndex
DROP INDEX "callback_status_recent";

-- DropIndex
DROP INDEX "execution_agent_status_recent";

-- DropIndex
DROP INDEX "execution_status_recent";

-- DropIndex
DROP INDEX "til_request_status_list";

-- CreateIndex
CREATE INDEX "activity_entry_facets" ON "activity_entry"("tenant_id", "environment", "actor_type", "action", "occurred_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "agent_memory_scope" ON "agent_memory"("tenant_id", "environment", "scope_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "audit_entry_facets" ON "audit_entry"("tenant_id", "environment", "outcome", "access", "supervised", "occurred_at" DESC, "sequence" DESC);

-- CreateIndex
CREATE INDEX "callback_facets" ON "callback"("tenant_id", "environment", "status", "entity_type", "change_types", "received_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "callback_match_agent_matched" ON "callback_match"("tenant_id", "environment", "agent_id", "received_at" DESC, "callback_id" DESC)
WHERE "result" = 'MATCHED';

-- CreateIndex
CREATE INDEX "execution_agent_facets" ON "execution"("tenant_id", "environment", "agent_id", "status", "trigger", "supervised", "resolution", "created_at" DESC, "execution_id" DESC);

-- CreateIndex
CREATE INDEX "execution_facets" ON "execution"("tenant_id", "environment", "status", "trigger", "supervised", "resolution", "created_at" DESC, "execution_id" DESC);

-- CreateIndex
CREATE INDEX "scheduled_work_agent_status_latest" ON "scheduled_work"("tenant_id", "environment", "workflow_id", "status", "scheduled_for" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "til_request_facets" ON "til_request"("tenant_id", "environment", "status", "kind", "list_position", "id");

-- CreateIndex
CREATE INDEX "til_request_created" ON "til_request"("tenant_id", "environment", "created_at");

-- Hardly any execution is another attempt.
DROP INDEX "execution_retry";
CREATE INDEX "execution_retry" ON "execution"("tenant_id", "environment", "retry_of_execution_id") WHERE "retry_of_execution_id" IS NOT NULL;

-- The facets have the type of the entity.
DROP INDEX "callback_type_recent";

CREATE INDEX "agent_memory_facets_newest" ON "agent_memory"("tenant_id", "environment", "state", "test_mode", "category", "scope_type", "derivation", "created_by", (("pinned_at" IS NOT NULL)::int), "audiences", "restricted_agent_ids", "created_at" DESC, "id" DESC);
CREATE INDEX "agent_memory_facets_surest" ON "agent_memory"("tenant_id", "environment", "state", "test_mode", "category", "scope_type", "derivation", "created_by", num_nonnulls("pinned_at"), "audiences", "restricted_agent_ids", "confidence" DESC, "id" DESC);
