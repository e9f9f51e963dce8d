-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "integration_request" ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "permission_group_setting" ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 2;

-- AlterTable
ALTER TABLE "tenant_user" ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 1;
