-- AlterTable
ALTER TABLE "integration_sync" ADD COLUMN     "accept_missing" BOOLEAN NOT NULL DEFAULT false;
