-- AlterTable
ALTER TABLE "til_request" ADD COLUMN     "call_error" JSONB;
