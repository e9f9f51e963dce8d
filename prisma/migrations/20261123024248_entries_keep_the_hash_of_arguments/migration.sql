-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN     "arguments_hash" TEXT;
