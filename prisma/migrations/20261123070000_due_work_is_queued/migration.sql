-- DropIndex
DROP INDEX "scheduled_work_due";

-- CreateIndex
CREATE INDEX "scheduled_work_due" ON "scheduled_work"("held_until", "scheduled_for", "id")
    WHERE "status" = 'PENDING';
