-- CreateEnum
CREATE TYPE "live_event_kind" AS ENUM ('EXECUTION', 'TIL_REQUEST');

-- CreateTable
CREATE TABLE "live_event" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "transaction_id" BIGINT NOT NULL,
    "kind" "live_event_kind" NOT NULL,
    "entity_id" TEXT NOT NULL,
    "agent_id" INTEGER,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "live_event_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "live_event_at_idx" ON "live_event"("at");

-- CreateIndex
CREATE UNIQUE INDEX "live_event_tenant_id_environment_transaction_id_kind_entity_key" ON "live_event"("tenant_id", "environment", "transaction_id", "kind", "entity_id");

-- An execution is new, or something changed that a dashboard shows. Counters alone are no change: they change with every
-- call of a tool.
CREATE FUNCTION "live_event_of_new_executions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, agent_id, at)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'EXECUTION',
        n.execution_id, n.agent_id, now()
    FROM added n
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE FUNCTION "live_event_of_changed_executions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, agent_id, at)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'EXECUTION',
        n.execution_id, n.agent_id, now()
    FROM changed n JOIN former o USING (tenant_id, environment, execution_id)
    WHERE (n.status, n.resolution, n.supervised, n.run_count, n.error, n.failure_kind, n.message_for_dashboard,
            n.processed_sub_entity_ids, n.entity_number, n.started_at, n.finished_at)
        IS DISTINCT FROM (o.status, o.resolution, o.supervised, o.run_count, o.error, o.failure_kind,
            o.message_for_dashboard, o.processed_sub_entity_ids, o.entity_number, o.started_at, o.finished_at)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER "execution_live_insert" AFTER INSERT ON "execution"
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "live_event_of_new_executions"();
CREATE TRIGGER "execution_live_update" AFTER UPDATE ON "execution"
    REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "live_event_of_changed_executions"();

-- A request is new, or anything of it changed. With its status the pending requests of its execution change too.
CREATE FUNCTION "live_event_of_new_til_requests"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, agent_id, at)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'TIL_REQUEST'::live_event_kind,
        n.id, n.agent_id, now()
    FROM added n
    UNION ALL
    SELECT DISTINCT e.tenant_id, e.environment, pg_current_xact_id()::text::bigint, 'EXECUTION'::live_event_kind,
        e.execution_id, e.agent_id, now()
    FROM added n JOIN execution e USING (tenant_id, environment, execution_id)
    WHERE n.status = 'PENDING'
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE FUNCTION "live_event_of_changed_til_requests"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, agent_id, at)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'TIL_REQUEST'::live_event_kind,
        n.id, n.agent_id, now()
    FROM changed n JOIN former o USING (tenant_id, environment, id)
    WHERE n IS DISTINCT FROM o
    UNION ALL
    SELECT DISTINCT e.tenant_id, e.environment, pg_current_xact_id()::text::bigint, 'EXECUTION'::live_event_kind,
        e.execution_id, e.agent_id, now()
    FROM changed n JOIN former o USING (tenant_id, environment, id)
    JOIN execution e ON e.tenant_id = n.tenant_id AND e.environment = n.environment AND e.execution_id = n.execution_id
    WHERE n.status <> o.status
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER "til_request_live_insert" AFTER INSERT ON "til_request"
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "live_event_of_new_til_requests"();
CREATE TRIGGER "til_request_live_update" AFTER UPDATE ON "til_request"
    REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "live_event_of_changed_til_requests"();

-- One notification for each tenant and environment of a transaction: PostgreSQL drops those that say the same.
CREATE FUNCTION "live_event_notify"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('live_event', jsonb_build_array(tenant_id, environment)::text)
    FROM (SELECT DISTINCT tenant_id, environment FROM added) AS tenancies;
    RETURN NULL;
END $$;

CREATE TRIGGER "live_event_notify" AFTER INSERT ON "live_event"
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "live_event_notify"();
