-- DropIndex
DROP INDEX "end_user_email_list";

-- DropIndex
DROP INDEX "end_user_vip_list";

-- CreateIndex
CREATE INDEX "end_user_facets" ON "end_user"("tenant_id", "environment", "status", "is_vip", "has_email", "sort_name", "id");

-- CreateIndex
CREATE INDEX "til_request_agent_facets" ON "til_request"("tenant_id", "environment", "agent_id", "status", "kind", "list_position", "id");

-- CreateIndex
CREATE INDEX "til_request_own_list" ON "til_request"("tenant_id", "environment", "requested_by_id", "list_position", "id")
    WHERE "agent_id" IS NULL AND "requested_by_type" = 'USER';

-- The order of lists for each agent.
DROP INDEX "audit_entry_tool_recent";
CREATE INDEX "audit_entry_tool_recent" ON "audit_entry"("tenant_id", "environment", "tool_name", "agent_id", "occurred_at" DESC, "sequence" DESC);

DROP INDEX "audit_entry_acting_user_recent";
CREATE INDEX "audit_entry_acting_user_recent" ON "audit_entry"("tenant_id", "environment", "acting_user_id", "agent_id", "occurred_at" DESC, "sequence" DESC)
    WHERE "acting_user_id" IS NOT NULL;

CREATE INDEX "audit_entry_agent_facets" ON "audit_entry"("tenant_id", "environment", "agent_id", coalesce("system", ''), "outcome", "access", "supervised", "occurred_at" DESC, "sequence" DESC);

CREATE INDEX "company_link_facets" ON "company_link"("tenant_id", "environment", "system", "mapped", "link_state", (("link_state" = 'AUTO' AND "confidence" < 0.95)::int), "sort_name", "external_id")
    WHERE NOT "hidden";
