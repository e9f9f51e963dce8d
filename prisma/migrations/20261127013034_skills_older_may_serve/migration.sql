-- CreateEnum
CREATE TYPE "skill_source" AS ENUM ('TENANT', 'BUILT_IN');

-- CreateEnum
CREATE TYPE "skill_status" AS ENUM ('ACTIVE', 'DISABLED', 'ARCHIVED');

-- AlterTable
ALTER TABLE "execution_work" ADD COLUMN     "skills" JSONB NOT NULL DEFAULT '[]';

-- CreateTable
CREATE TABLE "skill" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sort_name" TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(normalize("name", NFKC))) STORED,
    "description" TEXT NOT NULL,
    "search_text" TEXT NOT NULL GENERATED ALWAYS AS (lower(normalize("name" || chr(10) || "slug" || chr(10) || "description", NFKC))) STORED,
    "files" JSONB NOT NULL,
    "allowed_tools" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "assigned_agent_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "source" "skill_source" NOT NULL DEFAULT 'TENANT',
    "status" "skill_status" NOT NULL DEFAULT 'ACTIVE',
    "version" INTEGER NOT NULL DEFAULT 1,
    "source_execution_id" TEXT,
    "source_agent_id" INTEGER,
    "created_by_name" TEXT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "skill_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "skill_version" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "skill_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "allowed_tools" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "files" JSONB NOT NULL,
    "restored_from_version" INTEGER,
    "created_by_name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "skill_version_pkey" PRIMARY KEY ("tenant_id","environment","skill_id","version")
);

-- CreateIndex
CREATE INDEX "skill_by_name" ON "skill"("tenant_id", "environment", "sort_name", "id");

-- A slug is taken until its skill is archived.
CREATE UNIQUE INDEX "skill_slug" ON "skill"("tenant_id", "environment", "slug") WHERE "status" <> 'ARCHIVED';

-- AddForeignKey
ALTER TABLE "skill_version" ADD CONSTRAINT "skill_version_tenant_id_environment_skill_id_fkey" FOREIGN KEY ("tenant_id", "environment", "skill_id") REFERENCES "skill"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
