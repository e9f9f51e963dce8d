-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN     "api_key_id" TEXT,
ADD COLUMN     "api_key_name" TEXT;

-- AlterTable
ALTER TABLE "execution" ADD COLUMN     "api_key_id" TEXT,
ADD COLUMN     "api_key_name" TEXT;
