-- CreateEnum
CREATE TYPE "rmm_platform" AS ENUM ('WINDOWS', 'MACOS', 'LINUX', 'OTHER');

-- CreateEnum
CREATE TYPE "rmm_alert_severity" AS ENUM ('INFO', 'WARNING', 'CRITICAL');

-- CreateTable
CREATE TABLE "local_write" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "system" TEXT NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "made_id" TEXT NOT NULL,
    "written_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "local_write_pkey" PRIMARY KEY ("tenant_id","environment","system","idempotency_key")
);

-- CreateTable
CREATE TABLE "rmm_device" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "psa_company_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "serial_number" TEXT,
    "platform" "rmm_platform" NOT NULL,
    "last_user" TEXT,
    "free_disk_bytes" BIGINT,
    "missing_patches" INTEGER NOT NULL DEFAULT 0,
    "software" JSONB NOT NULL DEFAULT '[]',
    "last_seen_at" TIMESTAMPTZ(3),
    "restarted_at" TIMESTAMPTZ(3),

    CONSTRAINT "rmm_device_pkey" PRIMARY KEY ("tenant_id","environment","device_id")
);

-- CreateTable
CREATE TABLE "rmm_alert" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "alert_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "severity" "rmm_alert_severity" NOT NULL,
    "text" TEXT NOT NULL,
    "raised_at" TIMESTAMPTZ(3) NOT NULL,
    "cleared_at" TIMESTAMPTZ(3),
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "rmm_alert_pkey" PRIMARY KEY ("tenant_id","environment","alert_id")
);

-- CreateTable
CREATE TABLE "rmm_script" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "script_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "rmm_script_pkey" PRIMARY KEY ("tenant_id","environment","script_id")
);

-- CreateTable
CREATE TABLE "rmm_script_run" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "script_id" TEXT NOT NULL,
    "parameters" JSONB NOT NULL DEFAULT '{}',
    "exit_code" INTEGER,
    "started_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rmm_script_run_pkey" PRIMARY KEY ("tenant_id","environment","run_id")
);

-- CreateTable
CREATE TABLE "local_document" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "document_id" TEXT NOT NULL,
    "psa_company_id" TEXT,
    "folder_id" TEXT,
    "title" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "local_document_pkey" PRIMARY KEY ("tenant_id","environment","document_id")
);

-- CreateTable
CREATE TABLE "local_document_version" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "version_id" TEXT NOT NULL,
    "document_id" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "replaced_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "local_document_version_pkey" PRIMARY KEY ("tenant_id","environment","version_id")
);

-- CreateTable
CREATE TABLE "identity_account" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "psa_company_id" TEXT NOT NULL,
    "user_name" TEXT NOT NULL,
    "display_name" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "locked" BOOLEAN NOT NULL DEFAULT false,
    "has_second_factor" BOOLEAN NOT NULL DEFAULT false,
    "licences" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "password_contact_id" TEXT,
    "sessions_revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "identity_account_pkey" PRIMARY KEY ("tenant_id","environment","account_id")
);

-- CreateTable
CREATE TABLE "identity_group" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "group_id" TEXT NOT NULL,
    "psa_company_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "identity_group_pkey" PRIMARY KEY ("tenant_id","environment","group_id")
);

-- CreateTable
CREATE TABLE "identity_membership" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "group_id" TEXT NOT NULL,

    CONSTRAINT "identity_membership_pkey" PRIMARY KEY ("tenant_id","environment","account_id","group_id")
);

-- CreateTable
CREATE TABLE "identity_sign_in" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "sign_in_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "succeeded" BOOLEAN NOT NULL,
    "country" TEXT,

    CONSTRAINT "identity_sign_in_pkey" PRIMARY KEY ("tenant_id","environment","sign_in_id")
);

-- CreateTable
CREATE TABLE "identity_licence" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "psa_company_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "total" INTEGER NOT NULL,

    CONSTRAINT "identity_licence_pkey" PRIMARY KEY ("tenant_id","environment","psa_company_id","name")
);

-- CreateTable
CREATE TABLE "chat_message" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "technician_psa_id" INTEGER NOT NULL,
    "author_name" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chat_message_pkey" PRIMARY KEY ("tenant_id","environment","message_id")
);

-- CreateIndex
CREATE INDEX "rmm_device_tenant_id_environment_psa_company_id_idx" ON "rmm_device"("tenant_id", "environment", "psa_company_id");

-- CreateIndex
CREATE INDEX "rmm_alert_tenant_id_environment_device_id_idx" ON "rmm_alert"("tenant_id", "environment", "device_id");

-- CreateIndex
CREATE INDEX "rmm_script_run_tenant_id_environment_device_id_idx" ON "rmm_script_run"("tenant_id", "environment", "device_id");

-- CreateIndex
CREATE INDEX "rmm_script_run_tenant_id_environment_script_id_idx" ON "rmm_script_run"("tenant_id", "environment", "script_id");

-- CreateIndex
CREATE INDEX "local_document_tenant_id_environment_psa_company_id_idx" ON "local_document"("tenant_id", "environment", "psa_company_id");

-- CreateIndex
CREATE INDEX "local_document_tenant_id_environment_folder_id_idx" ON "local_document"("tenant_id", "environment", "folder_id");

-- CreateIndex
CREATE INDEX "local_document_version_tenant_id_environment_document_id_idx" ON "local_document_version"("tenant_id", "environment", "document_id");

-- CreateIndex
CREATE INDEX "identity_account_tenant_id_environment_psa_company_id_idx" ON "identity_account"("tenant_id", "environment", "psa_company_id");

-- CreateIndex
CREATE UNIQUE INDEX "identity_account_tenant_id_environment_user_name_key" ON "identity_account"("tenant_id", "environment", "user_name");

-- CreateIndex
CREATE INDEX "identity_group_tenant_id_environment_psa_company_id_idx" ON "identity_group"("tenant_id", "environment", "psa_company_id");

-- CreateIndex
CREATE INDEX "identity_membership_tenant_id_environment_group_id_idx" ON "identity_membership"("tenant_id", "environment", "group_id");

-- CreateIndex
CREATE INDEX "identity_sign_in_tenant_id_environment_account_id_at_idx" ON "identity_sign_in"("tenant_id", "environment", "account_id", "at");

-- AddForeignKey
ALTER TABLE "rmm_alert" ADD CONSTRAINT "rmm_alert_tenant_id_environment_device_id_fkey" FOREIGN KEY ("tenant_id", "environment", "device_id") REFERENCES "rmm_device"("tenant_id", "environment", "device_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "rmm_script_run" ADD CONSTRAINT "rmm_script_run_tenant_id_environment_device_id_fkey" FOREIGN KEY ("tenant_id", "environment", "device_id") REFERENCES "rmm_device"("tenant_id", "environment", "device_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "rmm_script_run" ADD CONSTRAINT "rmm_script_run_tenant_id_environment_script_id_fkey" FOREIGN KEY ("tenant_id", "environment", "script_id") REFERENCES "rmm_script"("tenant_id", "environment", "script_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "local_document_version" ADD CONSTRAINT "local_document_version_tenant_id_environment_document_id_fkey" FOREIGN KEY ("tenant_id", "environment", "document_id") REFERENCES "local_document"("tenant_id", "environment", "document_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "identity_membership" ADD CONSTRAINT "identity_membership_tenant_id_environment_account_id_fkey" FOREIGN KEY ("tenant_id", "environment", "account_id") REFERENCES "identity_account"("tenant_id", "environment", "account_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "identity_membership" ADD CONSTRAINT "identity_membership_tenant_id_environment_group_id_fkey" FOREIGN KEY ("tenant_id", "environment", "group_id") REFERENCES "identity_group"("tenant_id", "environment", "group_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "identity_sign_in" ADD CONSTRAINT "identity_sign_in_tenant_id_environment_account_id_fkey" FOREIGN KEY ("tenant_id", "environment", "account_id") REFERENCES "identity_account"("tenant_id", "environment", "account_id") ON DELETE CASCADE ON UPDATE NO ACTION;
