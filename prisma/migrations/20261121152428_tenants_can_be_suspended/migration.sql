-- AlterTable
ALTER TABLE "tenant" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);
