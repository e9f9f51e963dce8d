-- Made by `npm run migration`, then edited by hand: COLLATE "C" on ids, a generated column, checks, partial indexes.

-- CreateEnum
CREATE TYPE "call_channel" AS ENUM ('API_REQUEST');

-- CreateEnum
CREATE TYPE "execution_run_status" AS ENUM ('RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED');

-- CreateEnum
CREATE TYPE "timeline_event_kind" AS ENUM ('PLAN', 'MESSAGE', 'TOOL_CALL', 'QUESTION', 'APPROVAL_REQUESTED', 'APPROVAL_DECIDED', 'STATUS_CHANGED', 'ERROR');

-- CreateEnum
CREATE TYPE "til_request_kind" AS ENUM ('PLAN', 'WRITE', 'QUESTION', 'API_REQUEST');

-- CreateEnum
CREATE TYPE "til_request_status" AS ENUM ('PENDING', 'APPROVED', 'REJECTED', 'ANSWERED', 'EXPIRED', 'CANCELLED', 'SUPERSEDED', 'SHADOWED');

-- CreateEnum
CREATE TYPE "til_decision" AS ENUM ('APPROVE', 'REJECT', 'EDIT', 'ANSWER');

-- CreateEnum
CREATE TYPE "til_risk" AS ENUM ('READ', 'CHANGE', 'DESTRUCTIVE');

-- CreateEnum
CREATE TYPE "til_reason_code" AS ENUM ('WRONG_TARGET', 'WRONG_CONTENT', 'TOO_RISKY', 'NOT_NEEDED', 'OTHER');

-- CreateEnum
CREATE TYPE "til_requester_type" AS ENUM ('AGENT', 'USER', 'API_KEY');

-- CreateEnum
CREATE TYPE "til_approval_via" AS ENUM ('DASHBOARD', 'CHAT_APP', 'API');

-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "channel" "call_channel";

-- CreateTable
CREATE TABLE "execution_run" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "execution_id" TEXT COLLATE "C" NOT NULL,
    "sequence" INTEGER NOT NULL,
    "temporal_run_id" TEXT NOT NULL,
    "status" "execution_run_status" NOT NULL,
    "supervised" BOOLEAN NOT NULL,
    "resumed_by_til_request_id" TEXT COLLATE "C",
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "execution_run_pkey" PRIMARY KEY ("tenant_id","environment","execution_id","sequence")
);

-- CreateTable
CREATE TABLE "timeline_event" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "execution_id" TEXT COLLATE "C" NOT NULL,
    "sequence" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "kind" "timeline_event_kind" NOT NULL,
    "text" TEXT,
    "tool_call_id" TEXT,
    "til_request_id" TEXT COLLATE "C",
    "temporal_run_id" TEXT NOT NULL,

    CONSTRAINT "timeline_event_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "til_request" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "kind" "til_request_kind" NOT NULL,
    "status" "til_request_status" NOT NULL DEFAULT 'PENDING',
    "execution_id" TEXT COLLATE "C",
    "initiating_temporal_run_id" TEXT,
    "resumed_temporal_run_id" TEXT,
    "agent_id" INTEGER,
    "tool_name" TEXT,
    "tool_title" TEXT,
    "system" TEXT,
    "title" TEXT NOT NULL,
    "summary" TEXT NOT NULL,
    "arguments" JSONB,
    "arguments_hash" TEXT,
    "edited_arguments" JSONB,
    "edited_arguments_hash" TEXT,
    "plan" JSONB,
    "question" TEXT,
    "options" JSONB,
    "allowed_decisions" "til_decision"[] NOT NULL,
    "required_approvals" INTEGER NOT NULL DEFAULT 1,
    "requested_by_type" "til_requester_type" NOT NULL,
    "requested_by_id" TEXT NOT NULL,
    "requested_by_name" TEXT NOT NULL,
    "call" JSONB,
    "entity_id" TEXT,
    "entity_number" TEXT,
    "psa_company_name" TEXT,
    "risk" "til_risk" NOT NULL,
    "decided_at" TIMESTAMPTZ(3),
    "decided_by_name" TEXT,
    "decision_comment" TEXT,
    "reason_code" "til_reason_code",
    "answer" TEXT,
    "answer_option_id" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "closed_at" TIMESTAMPTZ(3),
    "list_position" DOUBLE PRECISION NOT NULL GENERATED ALWAYS AS (CASE
        WHEN "status" = 'PENDING' THEN extract(epoch FROM "created_at" - '1970-01-01 00:00:00Z'::timestamptz)
        ELSE 1e12 - extract(epoch FROM "closed_at" - '1970-01-01 00:00:00Z'::timestamptz)
    END) STORED,

    CONSTRAINT "til_request_pkey" PRIMARY KEY ("tenant_id","environment","id"),
    CONSTRAINT "til_request_closed" CHECK (("status" = 'PENDING') = ("closed_at" IS NULL))
);

-- CreateTable
CREATE TABLE "til_request_technician" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "til_request_id" TEXT COLLATE "C" NOT NULL,
    "technician_id" INTEGER NOT NULL,

    CONSTRAINT "til_request_technician_pkey" PRIMARY KEY ("tenant_id","environment","til_request_id","technician_id")
);

-- CreateTable
CREATE TABLE "til_approval" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "til_request_id" TEXT COLLATE "C" NOT NULL,
    "technician_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "decision" "til_decision" NOT NULL,
    "comment" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "via" "til_approval_via" NOT NULL,

    CONSTRAINT "til_approval_pkey" PRIMARY KEY ("tenant_id","environment","til_request_id","technician_id")
);

-- CreateIndex
CREATE INDEX "execution_run_resumed_by" ON "execution_run"("tenant_id", "environment", "resumed_by_til_request_id")
    WHERE "resumed_by_til_request_id" IS NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "execution_run_tenant_id_environment_temporal_run_id_key" ON "execution_run"("tenant_id", "environment", "temporal_run_id");

-- CreateIndex
CREATE INDEX "timeline_event_til_request" ON "timeline_event"("tenant_id", "environment", "til_request_id")
    WHERE "til_request_id" IS NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "timeline_event_tenant_id_environment_execution_id_sequence_key" ON "timeline_event"("tenant_id", "environment", "execution_id", "sequence");

-- CreateIndex
CREATE INDEX "til_request_list" ON "til_request"("tenant_id", "environment", "list_position", "id");

-- CreateIndex
CREATE INDEX "til_request_status_list" ON "til_request"("tenant_id", "environment", "status", "list_position", "id");

-- CreateIndex
CREATE INDEX "til_request_agent_list" ON "til_request"("tenant_id", "environment", "agent_id", "list_position", "id");

-- CreateIndex
CREATE INDEX "til_request_execution_list" ON "til_request"("tenant_id", "environment", "execution_id", "list_position", "id");

-- CreateIndex
CREATE INDEX "til_request_execution_open" ON "til_request"("tenant_id", "environment", "execution_id")
    WHERE "status" = 'PENDING';

-- CreateIndex
CREATE INDEX "til_request_open_expiry" ON "til_request"("tenant_id", "environment", "expires_at")
    WHERE "status" = 'PENDING';

-- CreateIndex
CREATE INDEX "til_request_technician_tenant_id_environment_technician_id__idx" ON "til_request_technician"("tenant_id", "environment", "technician_id", "til_request_id");

-- AddForeignKey
ALTER TABLE "execution_run" ADD CONSTRAINT "execution_run_tenant_id_environment_execution_id_fkey" FOREIGN KEY ("tenant_id", "environment", "execution_id") REFERENCES "execution"("tenant_id", "environment", "execution_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "execution_run" ADD CONSTRAINT "execution_run_tenant_id_environment_resumed_by_til_request_fkey" FOREIGN KEY ("tenant_id", "environment", "resumed_by_til_request_id") REFERENCES "til_request"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "timeline_event" ADD CONSTRAINT "timeline_event_tenant_id_environment_execution_id_fkey" FOREIGN KEY ("tenant_id", "environment", "execution_id") REFERENCES "execution"("tenant_id", "environment", "execution_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "timeline_event" ADD CONSTRAINT "timeline_event_tenant_id_environment_til_request_id_fkey" FOREIGN KEY ("tenant_id", "environment", "til_request_id") REFERENCES "til_request"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "til_request" ADD CONSTRAINT "til_request_tenant_id_environment_execution_id_fkey" FOREIGN KEY ("tenant_id", "environment", "execution_id") REFERENCES "execution"("tenant_id", "environment", "execution_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "til_request" ADD CONSTRAINT "til_request_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "til_request_technician" ADD CONSTRAINT "til_request_technician_tenant_id_environment_til_request_i_fkey" FOREIGN KEY ("tenant_id", "environment", "til_request_id") REFERENCES "til_request"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "til_request_technician" ADD CONSTRAINT "til_request_technician_tenant_id_environment_technician_id_fkey" FOREIGN KEY ("tenant_id", "environment", "technician_id") REFERENCES "technician_profile"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "til_approval" ADD CONSTRAINT "til_approval_tenant_id_environment_til_request_id_fkey" FOREIGN KEY ("tenant_id", "environment", "til_request_id") REFERENCES "til_request"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
