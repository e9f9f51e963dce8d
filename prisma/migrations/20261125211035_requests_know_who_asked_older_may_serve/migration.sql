-- AlterTable
ALTER TABLE "agent_revision" ADD COLUMN     "changed_by_user_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "of_service" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "execution" ADD COLUMN     "asked_by_user_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "scheduled_work" ADD COLUMN     "asked_by_user_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "til_request" ADD COLUMN     "asked_by_user_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- Users get no keys of a channel but by rotation.
UPDATE "api_key" SET "of_service" = true WHERE "channel" IS NOT NULL AND "rotated_from_key_id" IS NULL;
