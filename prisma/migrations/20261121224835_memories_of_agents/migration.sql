-- CreateEnum
CREATE TYPE "memory_state" AS ENUM ('ACTIVE', 'SUPERSEDED', 'DELETED');

-- CreateEnum
CREATE TYPE "memory_category" AS ENUM ('SEMANTIC', 'EPISODIC', 'PROCEDURAL');

-- CreateEnum
CREATE TYPE "memory_audience" AS ENUM ('ALL', 'TECHNICIANS', 'END_USERS', 'DISPATCH');

-- CreateEnum
CREATE TYPE "memory_scope_type" AS ENUM ('TENANT', 'CLIENT', 'LOCATION', 'DEVICE', 'END_USER', 'TECHNICIAN', 'AGENT');

-- CreateEnum
CREATE TYPE "memory_derivation" AS ENUM ('STRUCTURAL', 'STATED', 'OBSERVED', 'INFERRED');

-- CreateEnum
CREATE TYPE "memory_creator" AS ENUM ('SYNC_PSA_DISCOVERY', 'SYNC_RMM_DISCOVERY', 'SYNC_DOCUMENTATION_DISCOVERY', 'AGENT', 'TECHNICIAN', 'USER', 'API_KEY', 'IMPORT');

-- CreateTable
CREATE TABLE "agent_memory" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "state" "memory_state" NOT NULL DEFAULT 'ACTIVE',
    "content" TEXT NOT NULL,
    "category" "memory_category" NOT NULL,
    "audiences" "memory_audience"[],
    "scope_type" "memory_scope_type" NOT NULL,
    "scope_id" TEXT,
    "derivation" "memory_derivation" NOT NULL,
    "confidence" DOUBLE PRECISION NOT NULL,
    "evidence" TEXT,
    "created_by" "memory_creator" NOT NULL,
    "created_by_user_name" TEXT,
    "restricted_agent_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "test_mode" BOOLEAN NOT NULL DEFAULT false,
    "pinned_at" TIMESTAMPTZ(3),
    "last_confirmed_at" TIMESTAMPTZ(3),
    "superseded_by" TEXT,
    "supersedes_id" TEXT,
    "deleted_at" TIMESTAMPTZ(3),
    "search_text" TEXT NOT NULL GENERATED ALWAYS AS (lower("content")) STORED,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agent_memory_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "agent_memory_newest" ON "agent_memory"("tenant_id", "environment", "state", "test_mode", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "agent_memory_surest" ON "agent_memory"("tenant_id", "environment", "state", "test_mode", "confidence" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "agent_memory_scope" ON "agent_memory"("tenant_id", "environment", "scope_type", "scope_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "agent_memory_deleted" ON "agent_memory"("state", "deleted_at");

-- CreateIndex
CREATE INDEX "agent_memory_search" ON "agent_memory" USING GIN ("search_text" gin_trgm_ops);
