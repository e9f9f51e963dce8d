-- AlterTable
ALTER TABLE "tool_call" ADD COLUMN     "tried_at" TIMESTAMPTZ(3);
