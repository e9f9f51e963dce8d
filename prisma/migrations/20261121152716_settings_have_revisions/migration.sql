-- AlterTable
ALTER TABLE "settings" ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 1;
