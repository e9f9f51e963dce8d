-- Made by `npm run migration`, then edited by hand: NOT NULL on a list, COLLATE "C" on ids, and checks.

-- CreateEnum
CREATE TYPE "callback_entity_type" AS ENUM ('TICKET', 'TIME_ENTRY', 'COMPANY', 'CONTACT');

-- CreateEnum
CREATE TYPE "callback_status" AS ENUM ('RECEIVED', 'FILTERED_OUT', 'QUEUED', 'PROCESSING', 'PROCESSED', 'FAILED');

-- CreateEnum
CREATE TYPE "filter_reason" AS ENUM ('COMPANY_OUT_OF_SCOPE', 'CHANGE_TYPE_UNUSED', 'DUPLICATE', 'OWN_CHANGE', 'TENANT_PAUSED');

-- CreateEnum
CREATE TYPE "callback_match_result" AS ENUM ('MATCHED', 'NOT_MATCHED', 'SKIPPED', 'ERROR');

-- CreateEnum
CREATE TYPE "callback_match_reason" AS ENUM ('CHANGE_TYPE_NOT_SELECTED', 'CONDITION_FAILED', 'COMPANY_OUT_OF_SCOPE', 'RUN_ALREADY_LIVE', 'DEBOUNCED', 'OWN_CHANGE', 'CREDITS_EXHAUSTED', 'AGENT_NOT_ACTIVE');

-- CreateTable
CREATE TABLE "callback" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "psa_type" TEXT NOT NULL,
    "change_types" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "entity_type" "callback_entity_type" NOT NULL,
    "entity_id" TEXT COLLATE "C" NOT NULL,
    "entity_number" TEXT,
    "psa_company_id" TEXT COLLATE "C",
    "status" "callback_status" NOT NULL DEFAULT 'RECEIVED',
    "filter_reason" "filter_reason",
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "psa_changed_at" TIMESTAMPTZ(3),
    "sleep_seconds" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "wait_seconds" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "work_seconds" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "processed_at" TIMESTAMPTZ(3),
    "error" TEXT,

    CONSTRAINT "callback_pkey" PRIMARY KEY ("tenant_id","environment","id"),
    CONSTRAINT "callback_seconds" CHECK (
        "sleep_seconds" >= 0 AND "sleep_seconds" < 'infinity'
        AND "wait_seconds" >= 0 AND "wait_seconds" < 'infinity'
        AND "work_seconds" >= 0 AND "work_seconds" < 'infinity'
    ),
    CONSTRAINT "callback_filtered_for_a_reason" CHECK (("status" = 'FILTERED_OUT') = ("filter_reason" IS NOT NULL)),
    CONSTRAINT "callback_processed_at_a_time" CHECK (
        ("status" IN ('PROCESSED', 'FAILED')) = ("processed_at" IS NOT NULL)
        AND "processed_at" >= "received_at"
    )
);

-- CreateTable
CREATE TABLE "callback_match" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "callback_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" INTEGER NOT NULL,
    "result" "callback_match_result" NOT NULL,
    "reason_code" "callback_match_reason",
    "failed_conditions" JSONB NOT NULL DEFAULT '[]',
    "execution_id" TEXT COLLATE "C",
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "callback_match_pkey" PRIMARY KEY ("tenant_id","environment","callback_id","agent_id")
);

-- CreateTable
CREATE TABLE "upstream_call" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "system" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "wait_seconds" DOUBLE PRECISION NOT NULL,
    "ok" BOOLEAN NOT NULL,

    CONSTRAINT "upstream_call_pkey" PRIMARY KEY ("tenant_id","environment","id"),
    CONSTRAINT "upstream_call_wait" CHECK ("wait_seconds" >= 0 AND "wait_seconds" < 'infinity')
);

-- CreateIndex
CREATE INDEX "callback_recent" ON "callback"("tenant_id", "environment", "received_at" DESC, "id" DESC, "status", "entity_type", "entity_id", "change_types", "psa_changed_at", "sleep_seconds", "wait_seconds", "work_seconds", "processed_at");

-- CreateIndex
CREATE INDEX "callback_status_recent" ON "callback"("tenant_id", "environment", "status", "received_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "callback_entity_recent" ON "callback"("tenant_id", "environment", "entity_id", "received_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "callback_company_recent" ON "callback"("tenant_id", "environment", "psa_company_id", "received_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "callback_change_types" ON "callback" USING GIN ("change_types");

-- CreateIndex
CREATE INDEX "callback_received" ON "callback" USING BRIN ("received_at");

-- CreateIndex
CREATE INDEX "callback_match_received" ON "callback_match"("tenant_id", "environment", "received_at", "agent_id", "execution_id");

-- CreateIndex
CREATE INDEX "upstream_call_system" ON "upstream_call"("tenant_id", "environment", "system", "at", "ok", "wait_seconds");

-- CreateIndex
CREATE INDEX "upstream_call_at" ON "upstream_call" USING BRIN ("at");

-- AddForeignKey
ALTER TABLE "callback_match" ADD CONSTRAINT "callback_match_tenant_id_environment_callback_id_fkey" FOREIGN KEY ("tenant_id", "environment", "callback_id") REFERENCES "callback"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "callback_match" ADD CONSTRAINT "callback_match_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;
