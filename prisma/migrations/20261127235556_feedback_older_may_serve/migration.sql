-- CreateEnum
CREATE TYPE "feedback_status" AS ENUM ('PENDING', 'SUBMITTED', 'EXPIRED', 'REVOKED');

-- CreateEnum
CREATE TYPE "feedback_rating" AS ENUM ('POSITIVE', 'NEUTRAL', 'NEGATIVE');

-- AlterTable
ALTER TABLE "comms_message" ADD COLUMN     "feedback_expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "feedback_id" TEXT;

-- CreateTable
CREATE TABLE "feedback_entry" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "status" "feedback_status" NOT NULL DEFAULT 'PENDING',
    "rating" "feedback_rating",
    "rating_or_none" TEXT NOT NULL GENERATED ALWAYS AS (case "rating" when 'POSITIVE' then 'POSITIVE' when 'NEUTRAL' then 'NEUTRAL' when 'NEGATIVE' then 'NEGATIVE' else 'NONE' end) STORED,
    "comment" TEXT,
    "execution_id" TEXT,
    "ticket_id" TEXT,
    "ticket_number" TEXT,
    "ticket_title" TEXT,
    "agent_id" INTEGER,
    "agent_or_none" INTEGER NOT NULL GENERATED ALWAYS AS (coalesce("agent_id", 0)) STORED,
    "end_company_id" TEXT,
    "end_user_id" TEXT,
    "end_user_name" TEXT,
    "accepted_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
    "submitted_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "feedback_entry_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "feedback_entry_recent" ON "feedback_entry"("tenant_id", "environment", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "feedback_entry_facets" ON "feedback_entry"("tenant_id", "environment", "status", "rating_or_none", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "feedback_entry_agent_recent" ON "feedback_entry"("tenant_id", "environment", "agent_or_none", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "feedback_entry_agent_facets" ON "feedback_entry"("tenant_id", "environment", "agent_or_none", "status", "rating_or_none", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "feedback_entry_execution_recent" ON "feedback_entry"("tenant_id", "environment", "execution_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "feedback_entry_company_recent" ON "feedback_entry"("tenant_id", "environment", "end_company_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "feedback_entry_summary" ON "feedback_entry"("tenant_id", "environment", "created_at", "agent_or_none", "end_company_id", "rating");

-- CreateIndex
CREATE INDEX "feedback_entry_expiring" ON "feedback_entry"("expires_at") WHERE "status" = 'PENDING';

-- CreateIndex
CREATE INDEX "feedback_entry_created" ON "feedback_entry" USING BRIN ("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "feedback_entry_id" ON "feedback_entry"("id");

-- AddForeignKey
ALTER TABLE "feedback_entry" ADD CONSTRAINT "feedback_entry_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;
