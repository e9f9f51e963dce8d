-- CreateEnum
CREATE TYPE "webhook_endpoint_status" AS ENUM ('ENABLED', 'DISABLED', 'AUTO_DISABLED');

-- CreateEnum
CREATE TYPE "webhook_disabled_reason" AS ENUM ('MANUAL', 'FAILING', 'GONE', 'OWNER_REMOVED');

-- CreateEnum
CREATE TYPE "webhook_delivery_status" AS ENUM ('PENDING', 'SUCCEEDED', 'FAILED', 'EXHAUSTED');

-- CreateTable
CREATE TABLE "webhook_endpoint" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "event_types" TEXT[],
    "agent_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "end_company_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "severities" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "status" "webhook_endpoint_status" NOT NULL DEFAULT 'ENABLED',
    "disabled_reason" "webhook_disabled_reason",
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "secret_rotated_at" TIMESTAMPTZ(3),
    "last_success_at" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "owner_user_id" TEXT,
    "created_by_key_id" TEXT,
    "created_by_name" TEXT NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "resumes_at" TIMESTAMPTZ(3),
    "is_slow" BOOLEAN NOT NULL DEFAULT false,
    "job_id" TEXT,
    "job_until" TIMESTAMPTZ(3),
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "webhook_cursor" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,

    CONSTRAINT "webhook_cursor_pkey" PRIMARY KEY ("tenant_id","environment")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "event_type" TEXT NOT NULL,
    "status" "webhook_delivery_status" NOT NULL DEFAULT 'PENDING',
    "attempts" JSONB NOT NULL DEFAULT '[]',
    "tries" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "test_event" TEXT,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "webhook_endpoint_recent" ON "webhook_endpoint"("tenant_id", "environment", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_delivery_facets" ON "webhook_delivery"("tenant_id", "environment", "endpoint_id", "status", "event_type", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_delivery_recent" ON "webhook_delivery"("tenant_id", "environment", "endpoint_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_delivery_pending" ON "webhook_delivery"("tenant_id", "environment", "endpoint_id", "next_attempt_at") WHERE "status" = 'PENDING';

-- CreateIndex
CREATE INDEX "webhook_delivery_created" ON "webhook_delivery" USING BRIN ("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_event" ON "webhook_delivery"("tenant_id", "environment", "endpoint_id", "event_id");
