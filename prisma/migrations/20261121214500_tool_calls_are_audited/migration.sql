-- CreateEnum
CREATE TYPE "tool_access" AS ENUM ('READ', 'WRITE');

-- CreateEnum
CREATE TYPE "audit_outcome" AS ENUM ('SUCCEEDED', 'FAILED', 'DENIED', 'PENDING_APPROVAL', 'SKIPPED', 'TIMED_OUT');

-- CreateTable
CREATE TABLE "audit_entry" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "sequence" BIGSERIAL NOT NULL,
    "agent_id" INTEGER NOT NULL,
    "agent_name" TEXT NOT NULL,
    "execution_id" TEXT COLLATE "C" NOT NULL,
    "temporal_run_id" TEXT NOT NULL,
    "tool_name" TEXT NOT NULL,
    "tool_title" TEXT NOT NULL,
    "system" TEXT,
    "access" "tool_access" NOT NULL,
    "outcome" "audit_outcome" NOT NULL,
    "arguments" JSONB NOT NULL,
    "arguments_truncated" BOOLEAN NOT NULL DEFAULT false,
    "result_summary" TEXT,
    "error_code" TEXT,
    "error_message" TEXT,
    "duration_ms" INTEGER NOT NULL DEFAULT 0,
    "entity_id" TEXT,
    "entity_number" TEXT,
    "psa_company_id" TEXT,
    "psa_company_name" TEXT,
    "supervised" BOOLEAN NOT NULL DEFAULT false,
    "til_request_id" TEXT,
    "decided_by_name" TEXT,
    "acting_user_id" TEXT,
    "request_id" TEXT,
    "correlation_id" TEXT NOT NULL,
    "hash" TEXT,
    "previous_hash" TEXT,
    "search_text" TEXT NOT NULL GENERATED ALWAYS AS (lower(coalesce("entity_number", '') || chr(10) || coalesce("psa_company_name", '') || chr(10) || coalesce("result_summary", '') || chr(10) || coalesce("error_message", ''))) STORED,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("tenant_id","environment","id"),
    CONSTRAINT "audit_entry_not_negative" CHECK ("duration_ms" >= 0)
);

-- CreateIndex
CREATE INDEX "audit_entry_recent" ON "audit_entry"("tenant_id", "environment", "occurred_at" DESC, "sequence" DESC, "agent_id", "outcome", "tool_name", "system");

-- CreateIndex
CREATE INDEX "audit_entry_agent_recent" ON "audit_entry"("tenant_id", "environment", "agent_id", "occurred_at" DESC, "sequence" DESC);

-- CreateIndex
CREATE INDEX "audit_entry_execution_recent" ON "audit_entry"("tenant_id", "environment", "execution_id", "occurred_at" DESC, "sequence" DESC);

-- CreateIndex
CREATE INDEX "audit_entry_tool_recent" ON "audit_entry"("tenant_id", "environment", "tool_name", "occurred_at" DESC, "sequence" DESC);

-- CreateIndex
CREATE INDEX "audit_entry_system_recent" ON "audit_entry"("tenant_id", "environment", "system", "occurred_at" DESC, "sequence" DESC)
    WHERE "system" IS NOT NULL;

-- CreateIndex
CREATE INDEX "audit_entry_outcome_recent" ON "audit_entry"("tenant_id", "environment", "outcome", "occurred_at" DESC, "sequence" DESC);

-- CreateIndex
CREATE INDEX "audit_entry_entity_recent" ON "audit_entry"("tenant_id", "environment", "entity_id", "occurred_at" DESC, "sequence" DESC)
    WHERE "entity_id" IS NOT NULL;

-- CreateIndex
CREATE INDEX "audit_entry_acting_user_recent" ON "audit_entry"("tenant_id", "environment", "acting_user_id", "occurred_at" DESC, "sequence" DESC)
    WHERE "acting_user_id" IS NOT NULL;

-- CreateIndex
CREATE INDEX "audit_entry_search" ON "audit_entry" USING GIN ("search_text" gin_trgm_ops);

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_tenant_id_environment_execution_id_fkey" FOREIGN KEY ("tenant_id", "environment", "execution_id") REFERENCES "execution"("tenant_id", "environment", "execution_id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- An entry stays as it was written, but for retention: SET LOCAL app.retention = 'on'
CREATE FUNCTION "audit_entry_stays"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('app.retention', true) IS DISTINCT FROM 'on' THEN
        RAISE EXCEPTION 'audit entries are only ever inserted';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "audit_entry_stays" BEFORE DELETE OR TRUNCATE ON "audit_entry"
    FOR EACH STATEMENT EXECUTE FUNCTION "audit_entry_stays"();

-- The hashes of an entry are written once, and nothing else of it ever changes. Generated columns are known to triggers
-- that run after the update.
CREATE FUNCTION "audit_entry_is_closed_once"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.hash IS NOT NULL OR NEW.hash IS NULL THEN
        RAISE EXCEPTION 'audit entries are only ever inserted';
    END IF;
    NEW.hash := OLD.hash;
    NEW.previous_hash := OLD.previous_hash;
    IF NEW IS DISTINCT FROM OLD THEN
        RAISE EXCEPTION 'audit entries are only ever inserted';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "audit_entry_is_closed_once" AFTER UPDATE ON "audit_entry"
    FOR EACH ROW EXECUTE FUNCTION "audit_entry_is_closed_once"();
