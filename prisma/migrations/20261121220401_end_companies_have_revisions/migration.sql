-- AlterTable
ALTER TABLE "end_company" ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 1;
