-- AlterTable
ALTER TABLE "live_event" ADD COLUMN     "status" TEXT;

-- An event says the status to which the thing has come by the end of the transaction.
CREATE OR REPLACE FUNCTION "live_event_of_new_executions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, agent_id, at, status)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'EXECUTION',
        n.execution_id, n.agent_id, now(), n.status::text
    FROM added n
    ON CONFLICT (tenant_id, environment, transaction_id, kind, entity_id)
        DO UPDATE SET status = EXCLUDED.status WHERE live_event.status <> EXCLUDED.status;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "live_event_of_changed_executions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, agent_id, at, status)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'EXECUTION',
        n.execution_id, n.agent_id, now(), n.status::text
    FROM changed n JOIN former o USING (tenant_id, environment, execution_id)
    WHERE (n.status, n.resolution, n.supervised, n.run_count, n.error, n.failure_kind, n.message_for_dashboard,
            n.processed_sub_entity_ids, n.entity_number, n.started_at, n.finished_at)
        IS DISTINCT FROM (o.status, o.resolution, o.supervised, o.run_count, o.error, o.failure_kind,
            o.message_for_dashboard, o.processed_sub_entity_ids, o.entity_number, o.started_at, o.finished_at)
    ON CONFLICT (tenant_id, environment, transaction_id, kind, entity_id)
        DO UPDATE SET status = EXCLUDED.status WHERE live_event.status <> EXCLUDED.status;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "live_event_of_new_til_requests"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, agent_id, at, status)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'TIL_REQUEST'::live_event_kind,
        n.id, n.agent_id, now(), n.status::text
    FROM added n
    UNION ALL
    SELECT DISTINCT e.tenant_id, e.environment, pg_current_xact_id()::text::bigint, 'EXECUTION'::live_event_kind,
        e.execution_id, e.agent_id, now(), e.status::text
    FROM added n JOIN execution e USING (tenant_id, environment, execution_id)
    WHERE n.status = 'PENDING'
    ON CONFLICT (tenant_id, environment, transaction_id, kind, entity_id)
        DO UPDATE SET status = EXCLUDED.status WHERE live_event.status <> EXCLUDED.status;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "live_event_of_changed_til_requests"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, agent_id, at, status)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'TIL_REQUEST'::live_event_kind,
        n.id, n.agent_id, now(), n.status::text
    FROM changed n JOIN former o USING (tenant_id, environment, id)
    WHERE n IS DISTINCT FROM o
    UNION ALL
    SELECT DISTINCT e.tenant_id, e.environment, pg_current_xact_id()::text::bigint, 'EXECUTION'::live_event_kind,
        e.execution_id, e.agent_id, now(), e.status::text
    FROM changed n JOIN former o USING (tenant_id, environment, id)
    JOIN execution e ON e.tenant_id = n.tenant_id AND e.environment = n.environment AND e.execution_id = n.execution_id
    WHERE n.status <> o.status
    ON CONFLICT (tenant_id, environment, transaction_id, kind, entity_id)
        DO UPDATE SET status = EXCLUDED.status WHERE live_event.status <> EXCLUDED.status;
    RETURN NULL;
END $$;
