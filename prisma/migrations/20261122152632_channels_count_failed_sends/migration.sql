-- AlterTable
ALTER TABLE "channel" ADD COLUMN     "failed_sends" INTEGER NOT NULL DEFAULT 0;
