-- CreateEnum
CREATE TYPE "comms_direction" AS ENUM ('OUTBOUND', 'INBOUND');

-- CreateEnum
CREATE TYPE "comms_medium" AS ENUM ('TICKET_NOTE', 'EMAIL', 'CHAT');

-- CreateEnum
CREATE TYPE "comms_status" AS ENUM ('PENDING_APPROVAL', 'QUEUED', 'SENT', 'DELIVERED', 'FAILED', 'REJECTED', 'SUPPRESSED');

-- CreateEnum
CREATE TYPE "comms_recipient_type" AS ENUM ('END_USER', 'TECHNICIAN');

-- CreateEnum
CREATE TYPE "inbox_kind" AS ENUM ('TIL_REQUEST', 'EXECUTION_FAILED', 'ESCALATION', 'DISPATCH', 'INTEGRATION_HEALTH', 'COMPANY_LINK_REVIEW', 'CREDIT_THRESHOLD', 'FEEDBACK', 'API_KEY_EXPIRING', 'WEBHOOK_DISABLED', 'ANNOUNCEMENT');

-- CreateEnum
CREATE TYPE "event_severity" AS ENUM ('INFO', 'WARNING', 'CRITICAL');

-- CreateEnum
CREATE TYPE "inbox_state" AS ENUM ('UNREAD', 'READ', 'ARCHIVED');

-- CreateEnum
CREATE TYPE "inbox_subject_type" AS ENUM ('TIL_REQUEST', 'EXECUTION', 'ESCALATION', 'DISPATCH_DECISION', 'INTEGRATION', 'COMPANY_LINK', 'SUBSCRIPTION', 'FEEDBACK', 'API_KEY', 'WEBHOOK_ENDPOINT', 'NONE');

-- AlterEnum
ALTER TYPE "live_event_kind" ADD VALUE 'INBOX_ITEM';

-- CreateTable
CREATE TABLE "comms_message" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "direction" "comms_direction" NOT NULL,
    "medium" "comms_medium" NOT NULL,
    "status" "comms_status" NOT NULL,
    "recipient_type" "comms_recipient_type",
    "recipient_id" TEXT,
    "recipient_name" TEXT,
    "end_user_id" TEXT,
    "subject" TEXT,
    "body" TEXT NOT NULL,
    "ticket_id" TEXT,
    "channel_id" TEXT,
    "conversation_id" TEXT,
    "execution_id" TEXT,
    "agent_id" INTEGER,
    "agent_or_none" INTEGER NOT NULL GENERATED ALWAYS AS (coalesce("agent_id", 0)) STORED,
    "til_request_id" TEXT,
    "source_id" TEXT,
    "address" TEXT,
    "error" TEXT,
    "began_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "comms_message_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "comms_bounce" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "comms_bounce_pkey" PRIMARY KEY ("tenant_id","environment","address")
);

-- CreateTable
CREATE TABLE "inbox_item" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "kind" "inbox_kind" NOT NULL,
    "cause" TEXT NOT NULL,
    "severity" "event_severity" NOT NULL,
    "title" TEXT NOT NULL,
    "body" TEXT,
    "state" "inbox_state" NOT NULL DEFAULT 'UNREAD',
    "subject_type" "inbox_subject_type" NOT NULL,
    "subject_id" TEXT,
    "action_required" BOOLEAN NOT NULL,
    "resolved" BOOLEAN NOT NULL DEFAULT false,
    "list_rank" INTEGER NOT NULL GENERATED ALWAYS AS (("action_required" AND NOT "resolved")::int) STORED,
    "occurrence_count" INTEGER NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "affected_agent_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "affected_entity_numbers" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "unread_at" TIMESTAMPTZ(3) NOT NULL,
    "unread_due_at" TIMESTAMPTZ(3),
    "read_at" TIMESTAMPTZ(3),
    "last_mailed_at" TIMESTAMPTZ(3),
    "mail_asked_at" TIMESTAMPTZ(3),
    "mail_began_at" TIMESTAMPTZ(3),
    "waits_on" TEXT,
    "over_at" TIMESTAMPTZ(3),
    "revision" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbox_item_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "inbox_preferences" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "mail_kinds" "inbox_kind"[] DEFAULT ARRAY[]::"inbox_kind"[],
    "quiet_kinds" "inbox_kind"[] DEFAULT ARRAY[]::"inbox_kind"[],
    "revision" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbox_preferences_pkey" PRIMARY KEY ("tenant_id","environment","user_id")
);

-- CreateTable
CREATE TABLE "inbox_cursor" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,

    CONSTRAINT "inbox_cursor_pkey" PRIMARY KEY ("tenant_id","environment")
);

-- CreateIndex
CREATE INDEX "comms_message_recent" ON "comms_message"("tenant_id", "environment", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "comms_message_facets" ON "comms_message"("tenant_id", "environment", "direction", "medium", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "comms_message_agent_recent" ON "comms_message"("tenant_id", "environment", "agent_or_none", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "comms_message_agent_facets" ON "comms_message"("tenant_id", "environment", "agent_or_none", "direction", "medium", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "comms_message_execution_recent" ON "comms_message"("tenant_id", "environment", "execution_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "comms_message_end_user_recent" ON "comms_message"("tenant_id", "environment", "end_user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "comms_message_ticket_recent" ON "comms_message"("tenant_id", "environment", "ticket_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "comms_message_created" ON "comms_message" USING BRIN ("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "comms_message_source" ON "comms_message"("tenant_id", "environment", "source_id");

-- CreateIndex
CREATE INDEX "comms_bounce_at" ON "comms_bounce" USING BRIN ("at");

-- CreateIndex
CREATE INDEX "inbox_item_list" ON "inbox_item"("tenant_id", "environment", "user_id", "list_rank" DESC, "last_at" DESC, "id" DESC) WHERE "state" <> 'ARCHIVED';

-- CreateIndex
CREATE INDEX "inbox_item_facets" ON "inbox_item"("tenant_id", "environment", "user_id", "state", "kind", "severity", "list_rank" DESC, "last_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "inbox_item_cause" ON "inbox_item"("tenant_id", "environment", "kind", "cause") WHERE NOT "resolved";

-- CreateIndex
CREATE INDEX "inbox_item_subject" ON "inbox_item"("tenant_id", "environment", "subject_id") WHERE NOT "resolved";

-- CreateIndex
CREATE INDEX "inbox_item_waits" ON "inbox_item"("tenant_id", "environment", "waits_on") WHERE NOT "resolved" AND "waits_on" IS NOT NULL;

-- CreateIndex
CREATE INDEX "inbox_item_unread_due" ON "inbox_item"("unread_due_at") WHERE "unread_due_at" IS NOT NULL;

-- CreateIndex
CREATE INDEX "inbox_item_over" ON "inbox_item"("over_at") WHERE NOT "resolved" AND "over_at" IS NOT NULL;

-- CreateIndex
CREATE INDEX "inbox_item_last" ON "inbox_item" USING BRIN ("last_at");

-- CreateIndex
CREATE UNIQUE INDEX "inbox_item_open" ON "inbox_item"("tenant_id", "environment", "user_id", "kind", "cause") WHERE NOT "resolved" AND "state" <> 'ARCHIVED';

-- AddForeignKey
ALTER TABLE "comms_message" ADD CONSTRAINT "comms_message_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "inbox_item" ADD CONSTRAINT "inbox_item_tenant_id_environment_user_id_fkey" FOREIGN KEY ("tenant_id", "environment", "user_id") REFERENCES "tenant_user"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "inbox_preferences" ADD CONSTRAINT "inbox_preferences_tenant_id_environment_user_id_fkey" FOREIGN KEY ("tenant_id", "environment", "user_id") REFERENCES "tenant_user"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- The inboxes follow a feed from its beginning; feeds that are there already from now on.
CREATE FUNCTION "begin_inbox"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO inbox_cursor (tenant_id, environment, sequence) VALUES (NEW.tenant_id, NEW.environment, 0)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER "event_feed_inbox" AFTER INSERT ON "event_feed" FOR EACH ROW EXECUTE FUNCTION "begin_inbox"();

INSERT INTO "inbox_cursor" SELECT "tenant_id", "environment", "last_sequence" FROM "event_feed";

-- Subscribers are told of every item that is new or changes, with the state to which it came. The rows are not compared with those
-- before: a cached plan joins few rows and many alike, and what a change leaves as it was is rare.
CREATE FUNCTION "live_event_of_inbox_items"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, kind, entity_id, at, status)
    SELECT n.tenant_id, n.environment, pg_current_xact_id()::text::bigint, 'INBOX_ITEM', n.id, now(), n.state::text
    FROM changed n
    ON CONFLICT (tenant_id, environment, transaction_id, kind, entity_id, type) WHERE kind IS NOT NULL
        DO UPDATE SET id = EXCLUDED.id, status = EXCLUDED.status;
    IF FOUND THEN
        PERFORM tell_followers(tenant_id, environment) FROM (SELECT DISTINCT tenant_id, environment FROM changed) AS told;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER "inbox_item_added" AFTER INSERT ON "inbox_item"
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "live_event_of_inbox_items"();
CREATE TRIGGER "inbox_item_changed" AFTER UPDATE ON "inbox_item"
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "live_event_of_inbox_items"();

-- `error` of an execution is a code and a text, with a colon between them.
CREATE FUNCTION "execution_error_code"("error" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT substring(error from '^([a-z][a-z0-9_]*): ')
$$;

CREATE OR REPLACE FUNCTION "execution_event_data"("e" "execution") RETURNS JSONB LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT jsonb_build_object(
        'execution_id', e.execution_id, 'agent_id', e.agent_id, 'status', e.status, 'resolution', e.resolution,
        'trigger', e.trigger, 'supervised', e.supervised, 'entity_type', e.entity_type, 'entity_id', e.entity_id,
        'entity_number', e.entity_number, 'psa_company_id', e.psa_company_id, 'failure_kind', e.failure_kind,
        'error_code', execution_error_code(e.error))
$$;

-- A connection that is found healthy, and was not before, raises an event, whatever found it so.
CREATE FUNCTION "event_of_healthy_integration"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, environment, transaction_id, entity_id, at, type, event_id, data)
    VALUES (NEW.tenant_id, NEW.environment, pg_current_xact_id()::text::bigint, NEW.name, now(),
        'integration.healthy', new_event_id(), jsonb_build_object('name', NEW.name, 'former_health', OLD.health));
    PERFORM tell_followers(NEW.tenant_id, NEW.environment);
    RETURN NULL;
END $$;

CREATE TRIGGER "integration_connection_healthy" AFTER UPDATE ON "integration_connection" FOR EACH ROW
    WHEN (OLD.health <> 'HEALTHY' AND NEW.health = 'HEALTHY')
    EXECUTE FUNCTION "event_of_healthy_integration"();
