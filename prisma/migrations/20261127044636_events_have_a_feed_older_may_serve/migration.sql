-- DropIndex
DROP INDEX "live_event_tenant_id_environment_transaction_id_kind_entity_key";
DROP INDEX "live_event_at_idx";

-- AlterTable
ALTER TABLE "live_event" ADD COLUMN     "data" JSONB,
ADD COLUMN     "event_id" TEXT,
ADD COLUMN     "sequence" BIGINT,
ADD COLUMN     "type" TEXT NOT NULL DEFAULT '',
ALTER COLUMN "kind" DROP NOT NULL;

-- CreateTable
CREATE TABLE "event_feed" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "last_sequence" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_feed_pkey" PRIMARY KEY ("tenant_id","environment")
);

-- CreateIndex
CREATE UNIQUE INDEX "live_event_tenant_id_environment_transaction_id_kind_entity_key" ON "live_event"("tenant_id", "environment", "transaction_id", "kind", "entity_id", "type") WHERE "kind" IS NOT NULL;
CREATE INDEX "live_event_at_idx" ON "live_event"("at") WHERE "type" = '';
CREATE INDEX "live_event_old_events" ON "live_event" USING BRIN ("at") WHERE "type" <> '';
CREATE UNIQUE INDEX "live_event_by_event_id" ON "live_event"("tenant_id", "environment", "event_id") WHERE "sequence" IS NOT NULL;
CREATE UNIQUE INDEX "live_event_feed" ON "live_event"("tenant_id", "environment", "sequence") WHERE "sequence" IS NOT NULL;
CREATE INDEX "live_event_not_taken_over" ON "live_event"("tenant_id", "environment", "id") WHERE "type" <> '' AND "sequence" IS NULL;

-- Milliseconds and a random number: the index of ids grows at its end, as that of a version 7 UUID does.
CREATE FUNCTION "new_event_id"() RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT 'evt_' || lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
        || substr(replace(gen_random_uuid()::text, '-', ''), 13)
$$;

-- The relay. Gives the committed events of a tenant and environment their places in the feed, at most 1,000 of them, and
-- returns how many. The row of the feed is locked first, and each statement of the function sees what has been committed
-- by then: so the places that one call gives are all committed before another call gives higher ones, and a reader that
-- has read up to a place misses none below it. Nothing else changes a committed event, so that its ctid stays. In one call
-- events are in the order in which they were written: an event that follows from another one was written after that had
-- been committed.
CREATE FUNCTION "take_over_events"("of_tenant" TEXT, "of_environment" TEXT) RETURNS INTEGER LANGUAGE plpgsql AS $$
DECLARE
    last BIGINT;
    taken INTEGER;
BEGIN
    INSERT INTO event_feed (tenant_id, environment) VALUES (of_tenant, of_environment) ON CONFLICT DO NOTHING;
    SELECT last_sequence INTO last FROM event_feed
    WHERE tenant_id = of_tenant AND environment = of_environment FOR UPDATE;
    UPDATE live_event e SET sequence = last + p.place
    FROM (
        SELECT ctid, row_number() OVER (ORDER BY id) AS place FROM live_event
        WHERE tenant_id = of_tenant AND environment = of_environment AND type <> '' AND sequence IS NULL
        ORDER BY id LIMIT 1000
    ) p
    WHERE e.ctid = p.ctid;
    GET DIAGNOSTICS taken = ROW_COUNT;
    UPDATE event_feed SET last_sequence = last + taken
    WHERE tenant_id = of_tenant AND environment = of_environment;
    RETURN taken;
END $$;

-- A write that inserts rows into the outbox notifies followers itself: a statement trigger on the outbox, with its transition
-- table, costs as much as the row.
DROP TRIGGER "live_event_notify" ON "live_event";
DROP FUNCTION "live_event_notify"();

-- Commits that notify wait for each other, so only those do of which somebody wants to know. The row of a follower may
-- have been committed after this transaction began: the statement sees what has been committed by now.
CREATE FUNCTION "tell_followers"("of_tenant" TEXT, "of_environment" TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM live_follower
        WHERE tenant_id = of_tenant AND environment = of_environment AND expires_at > clock_timestamp()
    ) THEN
        PERFORM pg_notify('live_event', jsonb_build_array(of_tenant, of_environment)::text);
    END IF;
END $$;

-- The event of an execution that has come to the status from another one; '' if the change is a live update alone.
CREATE FUNCTION "execution_event"("to_status" "execution_status", "from_status" "execution_status")
RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN to_status = from_status THEN ''
        WHEN to_status = 'RUNNING' AND from_status = 'NEW' THEN 'execution.started'
        WHEN to_status IN ('WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT') THEN 'execution.waiting'
        WHEN to_status = 'COMPLETED' THEN 'execution.completed'
        WHEN to_status IN ('FAILED', 'TIMED_OUT') THEN 'execution.failed'
        WHEN to_status IN ('CANCELLED', 'SKIPPED') THEN 'execution.cancelled'
        ELSE ''
    END
$$;

CREATE FUNCTION "execution_event_data"("e" "execution") RETURNS JSONB LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT jsonb_build_object(
        'execution_id', e.execution_id, 'agent_id', e.agent_id, 'status', e.status, 'resolution', e.resolution,
        'trigger', e.trigger, 'supervised', e.supervised, 'entity_type', e.entity_type, 'entity_id', e.entity_id,
        'entity_number', e.entity_number, 'psa_company_id', e.psa_company_id, 'failure_kind', e.failure_kind)
$$;

-- A later row of one type takes the place of the earlier one: a transaction tells each thing once.
CREATE OR REPLACE FUNCTION "live_event_of_new_executions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, agent_id, at, status,
        type, event_id, data)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'EXECUTION',
        n.execution_id, n.agent_id, now(), n.status::text, e.type, new_event_id(), execution_event_data(n)
    FROM added n CROSS JOIN LATERAL (
        VALUES (1, 'execution.created'), (2, execution_event(n.status, 'NEW'))
    ) AS e (place, type)
    WHERE e.type <> ''
    ORDER BY e.place
    ON CONFLICT (tenant_id, environment, transaction_id, kind, entity_id, type) WHERE kind IS NOT NULL
        DO UPDATE SET id = EXCLUDED.id, status = EXCLUDED.status, data = EXCLUDED.data;
    IF FOUND THEN
        PERFORM tell_followers(tenant_id, environment) FROM (SELECT DISTINCT tenant_id, environment FROM added) AS told;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "live_event_of_changed_executions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, agent_id, at, status,
        type, event_id, data)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'EXECUTION',
        n.execution_id, n.agent_id, now(), n.status::text, e.type,
        CASE WHEN e.type <> '' THEN new_event_id() END, CASE WHEN e.type <> '' THEN execution_event_data(n) END
    FROM changed n JOIN former o USING (tenant_id, environment, execution_id)
    CROSS JOIN LATERAL (SELECT execution_event(n.status, o.status) AS type) AS e
    WHERE (n.status, n.resolution, n.supervised, n.run_count, n.error, n.failure_kind, n.message_for_dashboard,
            n.processed_sub_entity_ids, n.entity_number, n.started_at, n.finished_at)
        IS DISTINCT FROM (o.status, o.resolution, o.supervised, o.run_count, o.error, o.failure_kind,
            o.message_for_dashboard, o.processed_sub_entity_ids, o.entity_number, o.started_at, o.finished_at)
    ON CONFLICT (tenant_id, environment, transaction_id, kind, entity_id, type) WHERE kind IS NOT NULL
        DO UPDATE SET id = EXCLUDED.id, status = EXCLUDED.status, data = EXCLUDED.data;
    IF FOUND THEN
        PERFORM tell_followers(tenant_id, environment) FROM (SELECT DISTINCT tenant_id, environment FROM changed) AS told;
    END IF;
    RETURN NULL;
END $$;

-- The event of a request that has come to the status; '' if no event tells of it.
CREATE FUNCTION "til_request_event"("to_status" "til_request_status") RETURNS TEXT
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN to_status = 'PENDING' THEN 'til_request.created'
        WHEN to_status IN ('CANCELLED', 'SUPERSEDED') THEN 'til_request.cancelled'
        WHEN to_status IN ('APPROVED', 'REJECTED', 'ANSWERED', 'EXPIRED') THEN 'til_request.' || lower(to_status::text)
        ELSE ''
    END
$$;

CREATE FUNCTION "til_request_technician_ids"("of_tenant" TEXT, "of_environment" TEXT, "of_request" TEXT)
RETURNS JSONB LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_agg(technician_id ORDER BY technician_id), '[]') FROM til_request_technician
    WHERE tenant_id = of_tenant AND environment = of_environment AND til_request_id = of_request
$$;

CREATE FUNCTION "til_request_event_data"("r" "til_request") RETURNS JSONB LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'til_request_id', r.id, 'kind', r.kind, 'status', r.status, 'agent_id', r.agent_id,
        'execution_id', r.execution_id, 'tool_name', r.tool_name, 'risk', r.risk, 'entity_id', r.entity_id,
        'entity_number', r.entity_number, 'expires_at', to_char(r.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'decided_by_name', r.decided_by_name, 'reason_code', r.reason_code, 'comment', r.decision_comment,
        'technician_ids', til_request_technician_ids(r.tenant_id, r.environment, r.id))
$$;

CREATE OR REPLACE FUNCTION "live_event_of_new_til_requests"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, agent_id, at, status,
        type, event_id, data)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'TIL_REQUEST'::live_event_kind,
        n.id, n.agent_id, now(), n.status::text, e.type,
        CASE WHEN e.type <> '' THEN new_event_id() END, CASE WHEN e.type <> '' THEN til_request_event_data(n) END
    FROM added n CROSS JOIN LATERAL (SELECT til_request_event(n.status) AS type) AS e
    UNION ALL
    SELECT DISTINCT e.tenant_id, e.environment, pg_current_xact_id()::text::bigint, 'EXECUTION'::live_event_kind,
        e.execution_id, e.agent_id, now(), e.status::text, '', NULL, NULL::jsonb
    FROM added n JOIN execution e USING (tenant_id, environment, execution_id)
    WHERE n.status = 'PENDING'
    ON CONFLICT (tenant_id, environment, transaction_id, kind, entity_id, type) WHERE kind IS NOT NULL
        DO UPDATE SET id = EXCLUDED.id, status = EXCLUDED.status, data = EXCLUDED.data;
    IF FOUND THEN
        PERFORM tell_followers(tenant_id, environment) FROM (SELECT DISTINCT tenant_id, environment FROM added) AS told;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "live_event_of_changed_til_requests"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, agent_id, at, status,
        type, event_id, data)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'TIL_REQUEST'::live_event_kind,
        n.id, n.agent_id, now(), n.status::text, e.type,
        CASE WHEN e.type <> '' THEN new_event_id() END, CASE WHEN e.type <> '' THEN til_request_event_data(n) END
    FROM changed n JOIN former o USING (tenant_id, environment, id)
    CROSS JOIN LATERAL (
        SELECT CASE WHEN n.status = o.status THEN '' ELSE til_request_event(n.status) END AS type
    ) AS e
    WHERE n IS DISTINCT FROM o
    UNION ALL
    SELECT DISTINCT e.tenant_id, e.environment, pg_current_xact_id()::text::bigint, 'EXECUTION'::live_event_kind,
        e.execution_id, e.agent_id, now(), e.status::text, '', NULL, NULL::jsonb
    FROM changed n JOIN former o USING (tenant_id, environment, id)
    JOIN execution e ON e.tenant_id = n.tenant_id AND e.environment = n.environment AND e.execution_id = n.execution_id
    WHERE n.status <> o.status
    ON CONFLICT (tenant_id, environment, transaction_id, kind, entity_id, type) WHERE kind IS NOT NULL
        DO UPDATE SET id = EXCLUDED.id, status = EXCLUDED.status, data = EXCLUDED.data;
    IF FOUND THEN
        PERFORM tell_followers(tenant_id, environment) FROM (SELECT DISTINCT tenant_id, environment FROM changed) AS told;
    END IF;
    RETURN NULL;
END $$;

-- The technicians of a new request are stored after the request.
CREATE FUNCTION "live_event_of_named_technicians"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE live_event e
    SET data = jsonb_set(e.data, '{technician_ids}',
        til_request_technician_ids(e.tenant_id, e.environment, e.entity_id))
    FROM (SELECT DISTINCT tenant_id, environment, til_request_id FROM added) n
    WHERE e.tenant_id = n.tenant_id AND e.environment = n.environment
        AND e.transaction_id = pg_current_xact_id()::text::bigint AND e.kind = 'TIL_REQUEST'
        AND e.entity_id = n.til_request_id AND e.type = 'til_request.created';
    RETURN NULL;
END $$;

CREATE TRIGGER "til_request_technician_live_insert" AFTER INSERT ON "til_request_technician"
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION "live_event_of_named_technicians"();

-- A sync whose end is new raises an event.
CREATE OR REPLACE FUNCTION "live_event_of_integration_syncs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, at, status)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'INTEGRATION_SYNC',
        n.id, now(), n.status::text
    FROM added n
    ON CONFLICT (tenant_id, environment, transaction_id, kind, entity_id, type) WHERE kind IS NOT NULL
        DO UPDATE SET id = EXCLUDED.id, status = EXCLUDED.status;
    IF FOUND THEN
        PERFORM tell_followers(tenant_id, environment) FROM (SELECT DISTINCT tenant_id, environment FROM added) AS told;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION "live_event_of_changed_integration_syncs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, at, status, type, event_id, data)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'INTEGRATION_SYNC',
        n.id, now(), n.status::text, e.type, CASE WHEN e.type <> '' THEN new_event_id() END,
        CASE WHEN e.type <> '' THEN jsonb_build_object(
            'sync_id', n.id, 'name', n.name, 'status', n.status, 'is_full', n.is_full, 'error', n.error) END
    FROM changed n JOIN former o USING (tenant_id, environment, id)
    CROSS JOIN LATERAL (
        SELECT CASE WHEN n.finished_at IS NOT NULL AND o.finished_at IS NULL THEN 'integration.sync_finished' ELSE '' END
            AS type
    ) AS e
    ON CONFLICT (tenant_id, environment, transaction_id, kind, entity_id, type) WHERE kind IS NOT NULL
        DO UPDATE SET id = EXCLUDED.id, status = EXCLUDED.status, data = EXCLUDED.data;
    IF FOUND THEN
        PERFORM tell_followers(tenant_id, environment) FROM (SELECT DISTINCT tenant_id, environment FROM changed) AS told;
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER "integration_sync_changed" ON "integration_sync";
CREATE TRIGGER "integration_sync_changed" AFTER UPDATE ON "integration_sync"
    REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION "live_event_of_changed_integration_syncs"();
