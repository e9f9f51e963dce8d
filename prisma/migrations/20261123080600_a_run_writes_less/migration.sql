-- No event is looked for by its id: it is found by its place in the timeline.
ALTER TABLE "timeline_event" DROP CONSTRAINT "timeline_event_pkey",
ADD CONSTRAINT "timeline_event_pkey" PRIMARY KEY USING INDEX "timeline_event_tenant_id_environment_execution_id_sequence_key";

-- The executions that have ended: the changes of the others leave it alone.
DROP INDEX "execution_finished";
CREATE INDEX "execution_finished" ON "execution"("tenant_id", "environment", "finished_at")
    WHERE "finished_at" IS NOT NULL;
