-- An entry that is PENDING again after a failed start, or a lost worker, is no duplicate: its time was taken before.
DROP INDEX "scheduled_work_pending";

-- An agent is queued for a ticket once in a minute.
CREATE UNIQUE INDEX "scheduled_work_pending" ON "scheduled_work"("tenant_id", "environment", "workflow_id", "ticket_id", date_bin('1 minute', "scheduled_for", TIMESTAMPTZ '2000-01-01 00:00:00+00'))
    WHERE "status" = 'PENDING' AND "attempt" = 0;
