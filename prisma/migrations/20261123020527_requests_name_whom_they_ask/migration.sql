-- CreateEnum
CREATE TYPE "til_asked_of" AS ENUM ('APPROVERS', 'SUPERVISORS');

-- AlterTable
ALTER TABLE "execution" ADD COLUMN     "supervised_by_user_id" TEXT;

-- AlterTable
ALTER TABLE "til_request" ADD COLUMN     "asked_of" "til_asked_of",
ADD COLUMN     "permission_group" TEXT,
ADD COLUMN     "tool_call_id" TEXT;
