-- CreateTable
CREATE TABLE "integration_sync" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" "sync_status" NOT NULL DEFAULT 'QUEUED',
    "is_full" BOOLEAN NOT NULL,
    "changed_since" TIMESTAMPTZ(3),
    "requested_by_name" TEXT,
    "stages" JSONB NOT NULL,
    "error" TEXT,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "integration_sync_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "integration_sync_list" ON "integration_sync"("tenant_id", "environment", "name", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "integration_sync_open" ON "integration_sync"("environment", "updated_at") WHERE "status" IN ('QUEUED', 'RUNNING');

-- CreateIndex
CREATE INDEX "integration_sync_created" ON "integration_sync"("environment", "created_at");

-- AlterEnum
ALTER TYPE "live_event_kind" ADD VALUE 'INTEGRATION_SYNC';

CREATE FUNCTION "live_event_of_integration_syncs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, at, status)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'INTEGRATION_SYNC',
        n.id, now(), n.status::text
    FROM added n
    ON CONFLICT (tenant_id, environment, transaction_id, kind, entity_id)
        DO UPDATE SET status = EXCLUDED.status WHERE live_event.status <> EXCLUDED.status;
    RETURN NULL;
END $$;

CREATE TRIGGER "integration_sync_added" AFTER INSERT ON "integration_sync"
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "live_event_of_integration_syncs"();
CREATE TRIGGER "integration_sync_changed" AFTER UPDATE ON "integration_sync"
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "live_event_of_integration_syncs"();
