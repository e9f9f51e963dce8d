-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "pepper_id" TEXT;
