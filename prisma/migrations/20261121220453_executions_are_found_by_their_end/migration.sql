-- CreateIndex
CREATE INDEX "execution_finished" ON "execution"("tenant_id", "environment", "finished_at");
