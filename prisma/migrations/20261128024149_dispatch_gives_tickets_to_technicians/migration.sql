-- CreateEnum
CREATE TYPE "dispatch_mode" AS ENUM ('SUGGEST', 'AUTO');

-- CreateEnum
CREATE TYPE "dispatch_strategy" AS ENUM ('BEST_FIT', 'ROUND_ROBIN');

-- CreateEnum
CREATE TYPE "dispatch_decision_status" AS ENUM ('SUGGESTED', 'APPLIED', 'OVERRIDDEN', 'NONE_FITS', 'EXPIRED', 'FAILED');

-- CreateTable
CREATE TABLE "dispatch_settings" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT false,
    "mode" "dispatch_mode" NOT NULL DEFAULT 'SUGGEST',
    "strategy" "dispatch_strategy" NOT NULL DEFAULT 'BEST_FIT',
    "respect_schedules" BOOLEAN NOT NULL DEFAULT true,
    "max_open_tickets_per_technician" INTEGER,
    "only_ready_technicians" BOOLEAN NOT NULL DEFAULT true,
    "fallback_technician_id" INTEGER,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dispatch_settings_pkey" PRIMARY KEY ("tenant_id","environment")
);

-- CreateTable
CREATE TABLE "dispatch_rule" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "conditions" JSONB,
    "candidate_technician_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "required_skills" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dispatch_rule_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "dispatch_decision" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "ticket_id" TEXT NOT NULL,
    "ticket_number" TEXT,
    "status" "dispatch_decision_status" NOT NULL,
    "rule_id" INTEGER,
    "strategy" "dispatch_strategy" NOT NULL,
    "is_automatic" BOOLEAN NOT NULL,
    "candidates" JSONB NOT NULL,
    "suggested_technician_id" INTEGER,
    "chosen_technician_id" INTEGER,
    "explanation" TEXT NOT NULL,
    "agent_id" INTEGER,
    "agent_or_none" INTEGER NOT NULL GENERATED ALWAYS AS (coalesce("agent_id", 0)) STORED,
    "execution_id" TEXT,
    "psa_company_id" TEXT,
    "overridden_by_name" TEXT,
    "comment" TEXT,
    "assignment" JSONB,
    "assigning_until" TIMESTAMPTZ(3),
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "applied_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dispatch_decision_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "dispatch_turn" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "technician_id" INTEGER NOT NULL,
    "turn" BIGINT NOT NULL,

    CONSTRAINT "dispatch_turn_pkey" PRIMARY KEY ("tenant_id","environment","technician_id")
);

-- CreateTable
CREATE TABLE "dispatch_familiarity" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "psa_company_id" TEXT NOT NULL,
    "psa_id" INTEGER NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dispatch_familiarity_pkey" PRIMARY KEY ("tenant_id","environment","psa_company_id","psa_id")
);

-- CreateIndex
CREATE INDEX "dispatch_rule_order" ON "dispatch_rule"("tenant_id", "environment", "position", "id");

-- CreateIndex
CREATE INDEX "dispatch_decision_recent" ON "dispatch_decision"("tenant_id", "environment", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "dispatch_decision_facets" ON "dispatch_decision"("tenant_id", "environment", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "dispatch_decision_agent_recent" ON "dispatch_decision"("tenant_id", "environment", "agent_or_none", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "dispatch_decision_agent_facets" ON "dispatch_decision"("tenant_id", "environment", "agent_or_none", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "dispatch_decision_technician_recent" ON "dispatch_decision"("tenant_id", "environment", "chosen_technician_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "dispatch_decision_agent_technician" ON "dispatch_decision"("tenant_id", "environment", "agent_or_none", "chosen_technician_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "dispatch_decision_ticket_recent" ON "dispatch_decision"("tenant_id", "environment", "ticket_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "dispatch_decision_number_recent" ON "dispatch_decision"("tenant_id", "environment", "ticket_number", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "dispatch_decision_execution_recent" ON "dispatch_decision"("tenant_id", "environment", "execution_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "dispatch_decision_summary" ON "dispatch_decision"("tenant_id", "environment", "created_at", "agent_or_none", "status", "is_automatic", "suggested_technician_id");

-- CreateIndex
CREATE INDEX "dispatch_decision_applied" ON "dispatch_decision"("tenant_id", "environment", "applied_at", "chosen_technician_id") WHERE "applied_at" IS NOT NULL;

-- CreateIndex
CREATE INDEX "dispatch_decision_expiring" ON "dispatch_decision"("expires_at") WHERE "status" = 'SUGGESTED';

-- CreateIndex
CREATE INDEX "dispatch_decision_assigning" ON "dispatch_decision"("assigning_until") WHERE "assigning_until" IS NOT NULL;

-- CreateIndex
CREATE INDEX "dispatch_decision_created" ON "dispatch_decision" USING BRIN ("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "dispatch_decision_open" ON "dispatch_decision"("tenant_id", "environment", "ticket_id") WHERE "status" = 'SUGGESTED';

-- CreateIndex
CREATE INDEX "dispatch_familiarity_last" ON "dispatch_familiarity"("last_at");

-- AddForeignKey
ALTER TABLE "dispatch_decision" ADD CONSTRAINT "dispatch_decision_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- Technicians who had tickets, by the tickets that are known
INSERT INTO "dispatch_familiarity" ("tenant_id", "environment", "psa_company_id", "psa_id", "last_at")
SELECT "tenant_id", "environment", "version" ->> 'company', ("version" ->> 'assignee')::int, max("seen_at")
FROM "callback_entity"
WHERE "entity" LIKE 'TICKET/%' AND "version" ->> 'company' IS NOT NULL AND "version" ->> 'assignee' IS NOT NULL
  AND "seen_at" > now() - interval '90 days'
GROUP BY 1, 2, 3, 4;
