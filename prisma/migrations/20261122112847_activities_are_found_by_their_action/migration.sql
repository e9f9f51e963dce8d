-- CreateIndex
CREATE INDEX "activity_entry_action_recent" ON "activity_entry"("tenant_id", "environment", "action", "occurred_at" DESC, "id" DESC);
