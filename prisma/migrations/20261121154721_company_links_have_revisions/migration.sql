-- AlterTable
ALTER TABLE "company_link" ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 1;
