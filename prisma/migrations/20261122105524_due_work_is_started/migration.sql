-- AlterTable
ALTER TABLE "scheduled_work" ADD COLUMN     "held_until" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "agent_schedule" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "agent_id" INTEGER NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "next_at" TIMESTAMPTZ(3),

    CONSTRAINT "agent_schedule_pkey" PRIMARY KEY ("tenant_id","environment","agent_id")
);

-- CreateIndex
CREATE INDEX "agent_schedule_next_at_idx" ON "agent_schedule"("next_at");

-- CreateIndex
CREATE INDEX "psa_ticket_open" ON "psa_ticket"("tenant_id", "environment", "updated_at", "ticket_id")
    WHERE "closed_at" IS NULL;

-- CreateIndex
CREATE INDEX "psa_time_entry_new" ON "psa_time_entry"("tenant_id", "environment", "created_at", "time_entry_id");

-- CreateIndex
CREATE INDEX "scheduled_work_due" ON "scheduled_work"("scheduled_for", "id")
    WHERE "status" = 'PENDING';

-- CreateIndex
CREATE INDEX "scheduled_work_held" ON "scheduled_work"("held_until")
    WHERE "status" = 'PROCESSING';

-- AddForeignKey
ALTER TABLE "agent_schedule" ADD CONSTRAINT "agent_schedule_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- The schedule of an agent is in force while the agent is ACTIVE and SCHEDULED, from its last change on.
CREATE FUNCTION agent_schedule_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.state = OLD.state AND NEW.trigger_type = OLD.trigger_type
        AND NEW.schedule IS NOT DISTINCT FROM OLD.schedule THEN
        RETURN NULL;
    END IF;
    IF NEW.state = 'ACTIVE' AND NEW.trigger_type = 'SCHEDULED' AND NEW.schedule IS NOT NULL THEN
        INSERT INTO agent_schedule AS s (tenant_id, environment, agent_id, since, next_at)
        VALUES (NEW.tenant_id, NEW.environment, NEW.id, NEW.updated_at, NEW.updated_at)
        ON CONFLICT (tenant_id, environment, agent_id) DO UPDATE SET since = EXCLUDED.since, next_at = EXCLUDED.next_at;
    ELSE
        DELETE FROM agent_schedule s
        WHERE s.tenant_id = NEW.tenant_id AND s.environment = NEW.environment AND s.agent_id = NEW.id;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER agent_schedule_keep AFTER INSERT OR UPDATE OF state, trigger_type, schedule ON agent
    FOR EACH ROW EXECUTE FUNCTION agent_schedule_keep();

-- What was due before this release is not made up.
INSERT INTO agent_schedule (tenant_id, environment, agent_id, since, next_at)
SELECT tenant_id, environment, id, now(), now() FROM agent
WHERE state = 'ACTIVE' AND trigger_type = 'SCHEDULED' AND schedule IS NOT NULL;
