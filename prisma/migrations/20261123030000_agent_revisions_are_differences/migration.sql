-- AlterTable
ALTER TABLE "agent_revision" ADD COLUMN     "difference" JSONB,
ALTER COLUMN "snapshot" DROP NOT NULL;
