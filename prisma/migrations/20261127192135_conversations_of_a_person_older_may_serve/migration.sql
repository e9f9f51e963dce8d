-- CreateIndex
CREATE INDEX "channel_conversation_person" ON "channel_conversation"("tenant_id", "environment", "channel_id", "end_user_id", "created_at" DESC);
