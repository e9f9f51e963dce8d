-- Made by `npm run migration`, then edited by hand: generated columns, COLLATE "C" on what lists sort by.

-- CreateEnum
CREATE TYPE "channel_transport" AS ENUM ('SLACK', 'MICROSOFT_TEAMS', 'WHITE_LABEL_TEAMS_APP', 'WEB_CHAT');

-- CreateEnum
CREATE TYPE "channel_audience" AS ENUM ('TECHNICIANS', 'END_USERS');

-- CreateEnum
CREATE TYPE "channel_status" AS ENUM ('PENDING_INSTALL', 'ACTIVE', 'PAUSED', 'ERROR', 'UNINSTALLED');

-- CreateEnum
CREATE TYPE "channel_install_status" AS ENUM ('ACTIVE', 'UNINSTALLED');

-- CreateTable
CREATE TABLE "channel" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "agent_id" INTEGER NOT NULL,
    "transport" "channel_transport" NOT NULL,
    "audience" "channel_audience" NOT NULL,
    "status" "channel_status" NOT NULL DEFAULT 'PENDING_INSTALL',
    "status_reason" TEXT,
    "workspace_id" TEXT,
    "workspace_name" TEXT,
    "tickets_tab_enabled" BOOLEAN NOT NULL DEFAULT false,
    "display_name" TEXT NOT NULL,
    "accent_color" TEXT,
    "logo_url" TEXT,
    "install_url" TEXT,
    "last_message_at" TIMESTAMPTZ(3),
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "channel_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "channel_install" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "channel_id" TEXT NOT NULL,
    "workplace_tenant_id" TEXT NOT NULL,
    "installed_at" TIMESTAMPTZ(3) NOT NULL,
    "installer_email" TEXT,
    "status" "channel_install_status" NOT NULL DEFAULT 'ACTIVE',

    CONSTRAINT "channel_install_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "end_user" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "psa_contact_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sort_name" TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower("name")) STORED,
    "email" TEXT,
    "has_email" BOOLEAN NOT NULL GENERATED ALWAYS AS ("email" IS NOT NULL) STORED,
    "phone" TEXT,
    "title" TEXT,
    "end_company_id" TEXT NOT NULL,
    "is_vip" BOOLEAN NOT NULL DEFAULT false,
    "status" "end_company_status" NOT NULL DEFAULT 'ACTIVE',
    "workplace_user_id" TEXT,
    "last_ticket_at" TIMESTAMPTZ(3),
    "last_synced_at" TIMESTAMPTZ(3),
    "search_text" TEXT NOT NULL GENERATED ALWAYS AS (lower("name" || chr(10) || coalesce("email", ''))) STORED,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "end_user_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "chat_tab_calls" (
    "environment" TEXT NOT NULL,
    "workplace_tenant_id" TEXT NOT NULL,
    "workplace_user_id" TEXT NOT NULL,
    "calls" TIMESTAMPTZ(3)[],
    "allowed" BOOLEAN NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chat_tab_calls_pkey" PRIMARY KEY ("environment","workplace_tenant_id","workplace_user_id")
);

-- CreateIndex
CREATE INDEX "channel_recent" ON "channel"("tenant_id", "environment", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "channel_agent_recent" ON "channel"("tenant_id", "environment", "agent_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "channel_workspace" ON "channel"("tenant_id", "environment", "transport", "workspace_id");

-- CreateIndex
CREATE INDEX "channel_install_recent" ON "channel_install"("tenant_id", "environment", "channel_id", "installed_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "channel_install_workplace" ON "channel_install"("workplace_tenant_id", "environment");

-- CreateIndex
CREATE UNIQUE INDEX "channel_install_place" ON "channel_install"("tenant_id", "environment", "channel_id", "workplace_tenant_id");

-- CreateIndex
CREATE INDEX "end_user_list" ON "end_user"("tenant_id", "environment", "sort_name", "id");

-- CreateIndex
CREATE INDEX "end_user_company_list" ON "end_user"("tenant_id", "environment", "end_company_id", "sort_name", "id");

-- CreateIndex
CREATE INDEX "end_user_vip_list" ON "end_user"("tenant_id", "environment", "is_vip", "sort_name", "id");

-- CreateIndex
CREATE INDEX "end_user_email_list" ON "end_user"("tenant_id", "environment", "has_email", "sort_name", "id");

-- CreateIndex
CREATE INDEX "end_user_search" ON "end_user" USING GIN ("search_text" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "end_user_tenant_id_environment_psa_contact_id_key" ON "end_user"("tenant_id", "environment", "psa_contact_id");

-- CreateIndex
CREATE INDEX "chat_tab_calls_last_at_idx" ON "chat_tab_calls"("last_at");

-- AddForeignKey
ALTER TABLE "channel" ADD CONSTRAINT "channel_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channel_install" ADD CONSTRAINT "channel_install_tenant_id_environment_channel_id_fkey" FOREIGN KEY ("tenant_id", "environment", "channel_id") REFERENCES "channel"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "end_user" ADD CONSTRAINT "end_user_tenant_id_environment_end_company_id_fkey" FOREIGN KEY ("tenant_id", "environment", "end_company_id") REFERENCES "end_company"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
