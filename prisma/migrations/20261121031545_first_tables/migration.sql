-- Made by `npm run migration`, then edited by hand, in what Prisma has no words for: generated columns, checks,
-- the trigger at the end, and COLLATE "C" on what lists sort by: byte order is the same on every server.

-- CreateEnum
CREATE TYPE "link_state" AS ENUM ('AUTO', 'MANUAL', 'UNMAPPED');

-- CreateEnum
CREATE TYPE "match_method" AS ENUM ('NATIVE_ADAPTER', 'DOMAIN', 'EXACT_NAME', 'FUZZY', 'LLM', 'ASSET_OVERLAP', 'LEARNED_MANUAL', 'MANUAL', 'UNMATCHED');

-- CreateEnum
CREATE TYPE "end_company_status" AS ENUM ('ACTIVE', 'INACTIVE');

-- CreateEnum
CREATE TYPE "sync_status" AS ENUM ('QUEUED', 'RUNNING', 'SUCCEEDED', 'PARTIAL', 'FAILED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "integration_health" AS ENUM ('HEALTHY', 'DEGRADED', 'DOWN', 'UNKNOWN');

-- CreateEnum
CREATE TYPE "integration_access" AS ENUM ('READ_ONLY', 'READ_WRITE');

-- CreateEnum
CREATE TYPE "integration_request_status" AS ENUM ('RECEIVED', 'UNDER_REVIEW', 'PLANNED', 'DECLINED', 'DELIVERED');

-- CreateEnum
CREATE TYPE "profile_status" AS ENUM ('PENDING', 'GENERATING', 'READY', 'STALE', 'FAILED');

-- CreateEnum
CREATE TYPE "tenant_role" AS ENUM ('OWNER', 'ADMIN', 'USER', 'VIEWER');

-- CreateTable
CREATE TABLE "api_key" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "key_hash" BYTEA NOT NULL,
    "prefix" TEXT NOT NULL,
    "last_four" TEXT NOT NULL,
    "scopes" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "acting_user_id" TEXT,
    "allow_acting_user_header" BOOLEAN NOT NULL DEFAULT false,
    "allowed_cidrs" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "created_by_user_id" TEXT NOT NULL,
    "created_by_name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "last_used_ip" TEXT,
    "sunset_at" TIMESTAMPTZ(3),
    "replaced_by_key_id" TEXT,
    "rotated_from_key_id" TEXT,
    "revoked_at" TIMESTAMPTZ(3),
    "revoked_by_name" TEXT,
    "revoke_reason" TEXT,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "api_key_usage" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "operation" TEXT NOT NULL,
    "requests" INTEGER NOT NULL,
    "errors" INTEGER NOT NULL,

    CONSTRAINT "api_key_usage_pkey" PRIMARY KEY ("tenant_id","environment","key_id","day","operation"),
    CONSTRAINT "api_key_usage_not_negative" CHECK ("requests" >= 0 AND "errors" >= 0)
);

-- CreateTable
CREATE TABLE "activity_entry" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "action" TEXT NOT NULL,
    "actor_type" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "actor_name" TEXT NOT NULL,
    "targets" JSONB NOT NULL,
    "context" JSONB NOT NULL,
    "before" JSONB,
    "after" JSONB,

    CONSTRAINT "activity_entry_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "company_link" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "system" TEXT NOT NULL,
    "external_id" TEXT COLLATE "C" NOT NULL,
    "external_name" TEXT,
    "psa_company_id" TEXT,
    "psa_company_name" TEXT,
    "link_state" "link_state" NOT NULL DEFAULT 'UNMAPPED',
    "match_method" "match_method" NOT NULL DEFAULT 'UNMATCHED',
    "confidence" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "is_primary" BOOLEAN NOT NULL DEFAULT false,
    "mapped_by" TEXT,
    "mapped_at" TIMESTAMPTZ(3),
    "hidden" BOOLEAN NOT NULL DEFAULT false,
    "mapped" BOOLEAN NOT NULL GENERATED ALWAYS AS ("psa_company_id" IS NOT NULL) STORED,
    "sort_name" TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(coalesce("external_name", "external_id") COLLATE "default")) STORED,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "company_link_pkey" PRIMARY KEY ("tenant_id","environment","system","external_id"),
    CONSTRAINT "company_link_confidence" CHECK ("confidence" BETWEEN 0 AND 1)
);

-- CreateTable
CREATE TABLE "end_company" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "psa_company_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sort_name" TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower("name")) STORED,
    "in_scope" BOOLEAN NOT NULL DEFAULT true,
    "status" "end_company_status" NOT NULL DEFAULT 'ACTIVE',
    "domains" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "workplace_tenant_id" TEXT,
    "is_vip" BOOLEAN NOT NULL DEFAULT false,
    "end_user_count" INTEGER NOT NULL DEFAULT 0,
    "last_synced_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "end_company_pkey" PRIMARY KEY ("tenant_id","environment","id"),
    CONSTRAINT "end_company_end_user_count_not_negative" CHECK ("end_user_count" >= 0)
);

-- CreateTable
CREATE TABLE "idempotency_record" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "credential_id" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "body" TEXT,
    "secret_of" TEXT,
    "request_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_record_pkey" PRIMARY KEY ("tenant_id","environment","credential_id","operation","key"),
    CONSTRAINT "idempotency_record_status" CHECK ("status" BETWEEN 100 AND 599)
);

-- CreateTable
CREATE TABLE "rate_bucket" (
    "key" TEXT NOT NULL,
    "tokens" DOUBLE PRECISION NOT NULL,
    "burst_tokens" DOUBLE PRECISION NOT NULL,
    "granted" INTEGER NOT NULL,
    "refilled_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rate_bucket_pkey" PRIMARY KEY ("key"),
    CONSTRAINT "rate_bucket_not_negative" CHECK ("tokens" >= 0 AND "burst_tokens" >= 0 AND "granted" >= 0)
);

-- CreateTable
CREATE TABLE "integration_connection" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "connected" BOOLEAN NOT NULL,
    "last_sync_at" TIMESTAMPTZ(3),
    "last_sync_status" "sync_status",
    "health" "integration_health" NOT NULL DEFAULT 'UNKNOWN',
    "health_message" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "integration_connection_pkey" PRIMARY KEY ("tenant_id","environment","name")
);

-- CreateTable
CREATE TABLE "integration_request" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "vendor_name" TEXT NOT NULL,
    "use_case" TEXT NOT NULL,
    "docs_url" TEXT,
    "access" "integration_access" NOT NULL DEFAULT 'READ_ONLY',
    "can_share_test_key" BOOLEAN NOT NULL DEFAULT false,
    "has_spec_file" BOOLEAN NOT NULL DEFAULT false,
    "requested_by_name" TEXT NOT NULL,
    "status" "integration_request_status" NOT NULL DEFAULT 'RECEIVED',
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "integration_request_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "chat_app_workspace" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "team_name" TEXT NOT NULL,
    "installer_email" TEXT NOT NULL,
    "installed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chat_app_workspace_pkey" PRIMARY KEY ("tenant_id","environment")
);

-- CreateTable
CREATE TABLE "settings" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "start_business_hours" INTEGER NOT NULL DEFAULT 8,
    "end_business_hours" INTEGER NOT NULL DEFAULT 18,
    "human_friendly_client_name" TEXT NOT NULL,
    "sleep_before_callback_processing_seconds" INTEGER NOT NULL DEFAULT 30,
    "timezone" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "settings_pkey" PRIMARY KEY ("tenant_id","environment"),
    CONSTRAINT "settings_business_hours" CHECK ("start_business_hours" BETWEEN 0 AND 23 AND "end_business_hours" <= 24 AND "start_business_hours" < "end_business_hours"),
    CONSTRAINT "settings_sleep_before_callback_processing" CHECK ("sleep_before_callback_processing_seconds" BETWEEN 0 AND 900)
);

-- CreateTable
CREATE TABLE "technician_profile" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" SERIAL NOT NULL,
    "psa_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "profile" TEXT,
    "profile_status" "profile_status" NOT NULL DEFAULT 'PENDING',
    "custom_instructions" TEXT,
    "is_ready" BOOLEAN NOT NULL DEFAULT false,
    "update_automatically" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "technician_profile_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "tenant" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "psa_type" TEXT,
    "data_residency" TEXT NOT NULL,
    "referral_code" TEXT NOT NULL,
    "features" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tenant_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tenant_user" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "subject" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "role" "tenant_role" NOT NULL,
    "technician_profile_id" INTEGER,
    "last_seen_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tenant_user_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "permission_group_setting" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "requires_approval" BOOLEAN NOT NULL,
    "approver_technician_ids" INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[],
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "permission_group_setting_pkey" PRIMARY KEY ("tenant_id","environment","name")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_key_key_hash_key" ON "api_key"("key_hash");

-- CreateIndex
CREATE INDEX "api_key_tenant_id_environment_created_at_id_idx" ON "api_key"("tenant_id", "environment", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "activity_entry_tenant_id_environment_occurred_at_id_idx" ON "activity_entry"("tenant_id", "environment", "occurred_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "company_link_list" ON "company_link"("tenant_id", "environment", "system", "hidden", "mapped", "sort_name", "external_id");

-- CreateIndex
CREATE INDEX "company_link_company" ON "company_link"("tenant_id", "environment", "psa_company_id", "system");

-- CreateIndex
CREATE INDEX "end_company_tenant_id_environment_sort_name_id_idx" ON "end_company"("tenant_id", "environment", "sort_name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "end_company_tenant_id_environment_psa_company_id_key" ON "end_company"("tenant_id", "environment", "psa_company_id");

-- CreateIndex
CREATE UNIQUE INDEX "end_company_tenant_id_environment_workplace_tenant_id_key" ON "end_company"("tenant_id", "environment", "workplace_tenant_id");

-- CreateIndex
CREATE INDEX "idempotency_record_created_at_idx" ON "idempotency_record"("created_at");

-- CreateIndex
CREATE INDEX "rate_bucket_refilled_at_idx" ON "rate_bucket"("refilled_at");

-- CreateIndex
CREATE INDEX "integration_request_tenant_id_created_at_idx" ON "integration_request"("tenant_id", "created_at");

-- CreateIndex
CREATE INDEX "integration_request_tenant_id_environment_created_at_id_idx" ON "integration_request"("tenant_id", "environment", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "technician_profile_tenant_id_environment_psa_id_key" ON "technician_profile"("tenant_id", "environment", "psa_id");

-- CreateIndex
CREATE INDEX "tenant_user_tenant_id_environment_created_at_id_idx" ON "tenant_user"("tenant_id", "environment", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "tenant_user_tenant_id_environment_subject_key" ON "tenant_user"("tenant_id", "environment", "subject");

-- CreateIndex
CREATE UNIQUE INDEX "tenant_user_tenant_id_environment_technician_profile_id_key" ON "tenant_user"("tenant_id", "environment", "technician_profile_id");

-- AddForeignKey
ALTER TABLE "company_link" ADD CONSTRAINT "company_link_tenant_id_environment_psa_company_id_fkey" FOREIGN KEY ("tenant_id", "environment", "psa_company_id") REFERENCES "end_company"("tenant_id", "environment", "psa_company_id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "tenant_user" ADD CONSTRAINT "tenant_user_tenant_id_environment_technician_profile_id_fkey" FOREIGN KEY ("tenant_id", "environment", "technician_profile_id") REFERENCES "technician_profile"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- What was written to the activity log stays as it was. Retention says so for its own transaction:
-- SET LOCAL app.retention = 'on'
CREATE FUNCTION "activity_entry_stays"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('app.retention', true) IS DISTINCT FROM 'on' THEN
        RAISE EXCEPTION 'activity entries are only ever inserted';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "activity_entry_stays" BEFORE UPDATE OR DELETE OR TRUNCATE ON "activity_entry"
    FOR EACH STATEMENT EXECUTE FUNCTION "activity_entry_stays"();
