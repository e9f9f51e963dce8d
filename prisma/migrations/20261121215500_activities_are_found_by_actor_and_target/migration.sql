-- CreateIndex
CREATE INDEX "activity_entry_actor_recent" ON "activity_entry"("tenant_id", "environment", "actor_id", "occurred_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "activity_entry_targets" ON "activity_entry" USING GIN ("targets" jsonb_path_ops);
