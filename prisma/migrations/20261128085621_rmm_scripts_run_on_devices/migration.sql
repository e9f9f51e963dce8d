-- CreateEnum
CREATE TYPE "script_shell" AS ENUM ('POWERSHELL', 'CMD', 'BASH', 'PYTHON', 'OTHER');

-- CreateEnum
CREATE TYPE "script_platform" AS ENUM ('WINDOWS', 'MACOS', 'LINUX');

-- CreateEnum
CREATE TYPE "script_risk" AS ENUM ('READ_ONLY', 'CHANGES_STATE', 'DESTRUCTIVE', 'UNKNOWN');

-- CreateEnum
CREATE TYPE "script_approval" AS ENUM ('ALWAYS', 'BY_RISK');

-- CreateEnum
CREATE TYPE "rmm_script_run_status" AS ENUM ('PENDING_APPROVAL', 'QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'REJECTED', 'EXPIRED', 'CANCELLED');

-- The tables of the local RMM have its name: the names are of the tenant's scripts and their runs
ALTER TABLE "rmm_device" RENAME TO "local_rmm_device";
ALTER TABLE "rmm_alert" RENAME TO "local_rmm_alert";
ALTER TABLE "rmm_script" RENAME TO "local_rmm_script";
ALTER TABLE "rmm_script_run" RENAME TO "local_rmm_script_run";

ALTER TABLE "local_rmm_device" RENAME CONSTRAINT "rmm_device_pkey" TO "local_rmm_device_pkey";
ALTER TABLE "local_rmm_alert" RENAME CONSTRAINT "rmm_alert_pkey" TO "local_rmm_alert_pkey";
ALTER TABLE "local_rmm_script" RENAME CONSTRAINT "rmm_script_pkey" TO "local_rmm_script_pkey";
ALTER TABLE "local_rmm_script_run" RENAME CONSTRAINT "rmm_script_run_pkey" TO "local_rmm_script_run_pkey";
ALTER TABLE "local_rmm_alert" RENAME CONSTRAINT "rmm_alert_tenant_id_environment_device_id_fkey" TO "local_rmm_alert_tenant_id_environment_device_id_fkey";
ALTER TABLE "local_rmm_script_run" RENAME CONSTRAINT "rmm_script_run_tenant_id_environment_device_id_fkey" TO "local_rmm_script_run_tenant_id_environment_device_id_fkey";
ALTER TABLE "local_rmm_script_run" RENAME CONSTRAINT "rmm_script_run_tenant_id_environment_script_id_fkey" TO "local_rmm_script_run_tenant_id_environment_script_id_fkey";

ALTER INDEX "rmm_alert_tenant_id_environment_device_id_idx" RENAME TO "local_rmm_alert_tenant_id_environment_device_id_idx";
ALTER INDEX "rmm_script_run_tenant_id_environment_device_id_idx" RENAME TO "local_rmm_script_run_tenant_id_environment_device_id_idx";
ALTER INDEX "rmm_script_run_tenant_id_environment_script_id_idx" RENAME TO "local_rmm_script_run_tenant_id_environment_script_id_idx";
DROP INDEX "rmm_device_tenant_id_environment_psa_company_id_idx";
CREATE INDEX "local_rmm_device_tenant_id_environment_psa_company_id_devic_idx" ON "local_rmm_device"("tenant_id", "environment", "psa_company_id", "device_id");

-- AlterTable
ALTER TABLE "local_rmm_device" ADD COLUMN "is_online" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "local_rmm_script" DROP COLUMN "is_enabled",
ADD COLUMN     "description" TEXT,
ADD COLUMN     "category" TEXT,
ADD COLUMN     "shell" "script_shell" NOT NULL DEFAULT 'POWERSHELL',
ADD COLUMN     "platforms" "script_platform"[] DEFAULT ARRAY['WINDOWS']::"script_platform"[],
ADD COLUMN     "parameters" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "default_timeout_seconds" INTEGER NOT NULL DEFAULT 90,
ADD COLUMN     "run_as_user" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "body" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "build" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "is_rebuilt" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "takes_seconds" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "exit_code" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "stdout" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "stderr" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "local_rmm_script_run" DROP COLUMN "exit_code";

-- CreateTable
CREATE TABLE "rmm_script" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "system" TEXT NOT NULL,
    "external_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "agent_description" TEXT,
    "category" TEXT,
    "shell" "script_shell" NOT NULL,
    "platforms" "script_platform"[] DEFAULT ARRAY[]::"script_platform"[],
    "parameters" JSONB NOT NULL DEFAULT '[]',
    "secret_parameters" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "default_timeout_seconds" INTEGER NOT NULL,
    "run_as_user" BOOLEAN NOT NULL,
    "risk" "script_risk" NOT NULL DEFAULT 'UNKNOWN',
    "agent_enabled" BOOLEAN NOT NULL DEFAULT false,
    "approval" "script_approval" NOT NULL DEFAULT 'ALWAYS',
    "body_sha256" TEXT NOT NULL,
    "body" TEXT,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "synced_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "rmm_script_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "rmm_script_run" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "script_id" TEXT NOT NULL,
    "script_name" TEXT NOT NULL,
    "body_sha256" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "device_name" TEXT,
    "psa_company_id" TEXT,
    "parameters" JSONB NOT NULL DEFAULT '{}',
    "secrets" TEXT,
    "status" "rmm_script_run_status" NOT NULL,
    "exit_code" INTEGER,
    "stdout" TEXT,
    "stderr" TEXT,
    "stdout_truncated" BOOLEAN NOT NULL DEFAULT false,
    "stderr_truncated" BOOLEAN NOT NULL DEFAULT false,
    "error_code" TEXT,
    "timeout_seconds" INTEGER NOT NULL,
    "agent_id" INTEGER,
    "agent_or_none" INTEGER NOT NULL GENERATED ALWAYS AS (coalesce("agent_id", 0)) STORED,
    "agent_name" TEXT,
    "execution_id" TEXT,
    "tool_call_id" TEXT,
    "entity_id" TEXT,
    "entity_number" TEXT,
    "til_request_id" TEXT,
    "is_bound" BOOLEAN NOT NULL DEFAULT true,
    "requested_by_name" TEXT NOT NULL,
    "mark" TEXT,
    "sent_at" TIMESTAMPTZ(3),
    "external_run_id" TEXT,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rmm_script_run_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "rmm_script_order" ON "rmm_script"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "rmm_script_external" ON "rmm_script"("tenant_id", "environment", "system", "external_id");

-- CreateIndex
CREATE INDEX "rmm_script_run_request" ON "rmm_script_run"("tenant_id", "environment", "til_request_id") WHERE "status" = 'PENDING_APPROVAL';

-- CreateIndex
CREATE INDEX "rmm_script_run_recent" ON "rmm_script_run"("tenant_id", "environment", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "rmm_script_run_facets" ON "rmm_script_run"("tenant_id", "environment", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "rmm_script_run_agent_recent" ON "rmm_script_run"("tenant_id", "environment", "agent_or_none", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "rmm_script_run_agent_facets" ON "rmm_script_run"("tenant_id", "environment", "agent_or_none", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "rmm_script_run_script_recent" ON "rmm_script_run"("tenant_id", "environment", "script_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "rmm_script_run_agent_script" ON "rmm_script_run"("tenant_id", "environment", "agent_or_none", "script_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "rmm_script_run_device_recent" ON "rmm_script_run"("tenant_id", "environment", "device_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "rmm_script_run_agent_device" ON "rmm_script_run"("tenant_id", "environment", "agent_or_none", "device_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "rmm_script_run_company_recent" ON "rmm_script_run"("tenant_id", "environment", "psa_company_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "rmm_script_run_agent_company" ON "rmm_script_run"("tenant_id", "environment", "agent_or_none", "psa_company_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "rmm_script_run_entity_recent" ON "rmm_script_run"("tenant_id", "environment", "entity_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "rmm_script_run_execution_recent" ON "rmm_script_run"("tenant_id", "environment", "execution_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "rmm_script_run_output" ON "rmm_script_run"("finished_at") WHERE "stdout" IS NOT NULL OR "stderr" IS NOT NULL;

-- CreateIndex
CREATE INDEX "rmm_script_run_created" ON "rmm_script_run" USING BRIN ("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "rmm_script_run_call" ON "rmm_script_run"("tenant_id", "environment", "tool_call_id") WHERE "tool_call_id" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "rmm_script_run" ADD CONSTRAINT "rmm_script_run_tenant_id_environment_script_id_fkey" FOREIGN KEY ("tenant_id", "environment", "script_id") REFERENCES "rmm_script"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "rmm_script_run" ADD CONSTRAINT "rmm_script_run_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- A run of a script that waits for a request to technicians ends with it, or with the refusal of the approved call
CREATE FUNCTION "rmm_script_run_follows_request"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "rmm_script_run" r
  SET "status" = CASE NEW."status" WHEN 'REJECTED' THEN 'REJECTED' WHEN 'EXPIRED' THEN 'EXPIRED' ELSE 'CANCELLED' END::"rmm_script_run_status",
    "secrets" = NULL, "finished_at" = NEW."closed_at", "updated_at" = NEW."closed_at"
  WHERE r."tenant_id" = NEW."tenant_id" AND r."environment" = NEW."environment" AND r."til_request_id" = NEW."id"
    AND r."status" = 'PENDING_APPROVAL';
  RETURN NULL;
END
$$;

CREATE TRIGGER "rmm_script_run_follows_request" AFTER UPDATE OF "status", "call_error" ON "til_request" FOR EACH ROW
WHEN (OLD."status" = 'PENDING' AND NEW."status" IN ('REJECTED', 'EXPIRED', 'CANCELLED', 'SUPERSEDED')
  OR OLD."call_error" IS NULL AND NEW."call_error" IS NOT NULL AND NEW."kind" = 'API_REQUEST')
EXECUTE FUNCTION "rmm_script_run_follows_request"();

-- A run of a script that was not sent ends with the tool call that asked for it; no secret is kept for a call that has ended
CREATE FUNCTION "rmm_script_run_follows_call"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "rmm_script_run" r
  SET "status" = 'CANCELLED', "secrets" = NULL, "finished_at" = NEW."ended_at", "updated_at" = NEW."ended_at"
  WHERE r."tenant_id" = NEW."tenant_id" AND r."environment" = NEW."environment" AND r."tool_call_id" = NEW."id"
    AND r."status" IN ('PENDING_APPROVAL', 'QUEUED') AND NEW."status" <> 'SUCCEEDED';
  UPDATE "rmm_script_run" r SET "secrets" = NULL
  WHERE r."tenant_id" = NEW."tenant_id" AND r."environment" = NEW."environment" AND r."tool_call_id" = NEW."id"
    AND r."status" <> 'RUNNING' AND r."secrets" IS NOT NULL;
  RETURN NULL;
END
$$;

CREATE TRIGGER "rmm_script_run_follows_call" AFTER UPDATE OF "status" ON "tool_call" FOR EACH ROW
WHEN (NEW."tool_name" = 'device.run_script' AND NEW."status" IN ('SUCCEEDED', 'SKIPPED', 'DENIED', 'FAILED', 'TIMED_OUT'))
EXECUTE FUNCTION "rmm_script_run_follows_call"();
