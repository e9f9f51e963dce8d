-- CreateEnum
CREATE TYPE "escalation_trigger" AS ENUM ('AGENT_GAVE_UP', 'EXECUTION_FAILED', 'TIL_REQUEST_EXPIRED', 'END_USER_ASKED_FOR_HUMAN', 'NEGATIVE_FEEDBACK', 'TICKET_STALLED');

-- CreateEnum
CREATE TYPE "escalation_event_status" AS ENUM ('OPEN', 'ACKNOWLEDGED', 'RESOLVED');

-- CreateEnum
CREATE TYPE "escalation_target_type" AS ENUM ('TECHNICIANS', 'SCHEDULE', 'CHANNEL', 'WEBHOOK_ENDPOINT');

-- CreateEnum
CREATE TYPE "escalation_notify_via" AS ENUM ('INBOX', 'EMAIL');

-- CreateEnum
CREATE TYPE "escalation_via" AS ENUM ('INBOX', 'EMAIL', 'CHANNEL', 'WEBHOOK');

-- CreateEnum
CREATE TYPE "support_request_status" AS ENUM ('OPEN', 'CLOSED');

-- AlterTable
ALTER TABLE "callback_entity" ADD COLUMN     "open_status" TEXT,
ADD COLUMN     "quiet_since" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "escalation_policy" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "is_default" BOOLEAN NOT NULL,
    "agent_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "triggers" "escalation_trigger"[],
    "stalled_minutes" INTEGER,
    "stalled_statuses" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "steps" JSONB NOT NULL,
    "ticket_change" JSONB,
    "respect_business_hours" BOOLEAN NOT NULL DEFAULT false,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "escalation_policy_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "escalation_event" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "policy_id" INTEGER NOT NULL,
    "policy_name" TEXT NOT NULL,
    "trigger" "escalation_trigger" NOT NULL,
    "status" "escalation_event_status" NOT NULL DEFAULT 'OPEN',
    "reason" TEXT,
    "steps" JSONB NOT NULL,
    "respect_business_hours" BOOLEAN NOT NULL,
    "current_step" INTEGER NOT NULL DEFAULT 0,
    "next_step_at" TIMESTAMPTZ(3),
    "agent_id" INTEGER,
    "agent_or_none" INTEGER NOT NULL GENERATED ALWAYS AS (coalesce("agent_id", 0)) STORED,
    "execution_id" TEXT,
    "entity_id" TEXT,
    "entity_number" TEXT,
    "subject" TEXT NOT NULL,
    "ticket_change" JSONB,
    "ticket_changed" BOOLEAN NOT NULL DEFAULT false,
    "acknowledged_by_id" TEXT,
    "acknowledged_by_name" TEXT,
    "acknowledged_at" TIMESTAMPTZ(3),
    "resolved_by_name" TEXT,
    "resolved_at" TIMESTAMPTZ(3),
    "comment" TEXT,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "escalation_event_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "escalation_notification" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "step" INTEGER NOT NULL,
    "target_type" "escalation_target_type" NOT NULL,
    "target_id" TEXT NOT NULL,
    "via" "escalation_via" NOT NULL,
    "name" TEXT NOT NULL,
    "technician_id" INTEGER,
    "message_id" TEXT,
    "began_at" TIMESTAMPTZ(3),
    "at" TIMESTAMPTZ(3),
    "error_code" TEXT,

    CONSTRAINT "escalation_notification_pkey" PRIMARY KEY ("tenant_id","environment","event_id","step","target_id","via")
);

-- CreateTable
CREATE TABLE "escalation_cursor" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,

    CONSTRAINT "escalation_cursor_pkey" PRIMARY KEY ("tenant_id","environment")
);

-- CreateTable
CREATE TABLE "support_request" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "reference" TEXT NOT NULL,
    "summary" TEXT NOT NULL,
    "details" TEXT NOT NULL,
    "execution_id" TEXT,
    "conversation_id" TEXT,
    "status" "support_request_status" NOT NULL DEFAULT 'OPEN',
    "request_id" TEXT NOT NULL,
    "began_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "created_by_name" TEXT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "support_request_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "escalation_policy_recent" ON "escalation_policy"("tenant_id", "environment", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "escalation_policy_default" ON "escalation_policy"("tenant_id", "environment") WHERE "is_default";

-- CreateIndex
CREATE INDEX "escalation_event_recent" ON "escalation_event"("tenant_id", "environment", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "escalation_event_agent_recent" ON "escalation_event"("tenant_id", "environment", "agent_or_none", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "escalation_event_agent_facets" ON "escalation_event"("tenant_id", "environment", "agent_or_none", "status", "trigger", "policy_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "escalation_event_facets" ON "escalation_event"("tenant_id", "environment", "status", "trigger", "policy_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "escalation_event_execution_recent" ON "escalation_event"("tenant_id", "environment", "execution_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "escalation_event_entity_recent" ON "escalation_event"("tenant_id", "environment", "entity_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "escalation_event_created" ON "escalation_event" USING BRIN ("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "escalation_event_subject" ON "escalation_event"("tenant_id", "environment", "subject", "trigger") WHERE "status" <> 'RESOLVED';

-- CreateIndex
CREATE INDEX "escalation_notification_technician" ON "escalation_notification"("tenant_id", "environment", "technician_id", "event_id");

-- CreateIndex
CREATE INDEX "escalation_notification_target" ON "escalation_notification"("tenant_id", "environment", "target_id", "event_id");

-- CreateIndex
CREATE INDEX "support_request_recent" ON "support_request"("tenant_id", "environment", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "support_request_created" ON "support_request" USING BRIN ("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "support_request_reference" ON "support_request"("reference");

-- CreateIndex
CREATE INDEX "callback_entity_quiet" ON "callback_entity"("tenant_id", "environment", "open_status", "quiet_since") WHERE "quiet_since" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "escalation_event" ADD CONSTRAINT "escalation_event_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "escalation_notification" ADD CONSTRAINT "escalation_notification_tenant_id_environment_event_id_fkey" FOREIGN KEY ("tenant_id", "environment", "event_id") REFERENCES "escalation_event"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Open tickets have the status and the instant of their last known version.
UPDATE "callback_entity" SET "open_status" = "version" ->> 'status',
  "quiet_since" = to_timestamp(("version" ->> 'updated_at')::double precision / 1000)
WHERE "entity" LIKE 'TICKET/%' AND NOT ("version" ->> 'is_closed')::boolean;
