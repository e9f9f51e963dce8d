-- CreateIndex
CREATE INDEX "activity_entry_occurred" ON "activity_entry" USING BRIN ("occurred_at");

-- CreateIndex
CREATE INDEX "audit_entry_occurred" ON "audit_entry" USING BRIN ("occurred_at");
