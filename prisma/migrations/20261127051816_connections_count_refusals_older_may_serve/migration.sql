-- AlterTable
ALTER TABLE "system_connection" ADD COLUMN     "refusals" INTEGER NOT NULL DEFAULT 0;
