-- CreateIndex
CREATE INDEX "execution_updated" ON "execution"("tenant_id", "environment", "updated_at");
