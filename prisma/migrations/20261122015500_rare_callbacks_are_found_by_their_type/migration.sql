-- CreateIndex
CREATE INDEX "callback_type_recent" ON "callback"("tenant_id", "environment", "entity_type", "received_at" DESC, "id" DESC)
    WHERE "entity_type" <> 'TICKET';
