-- CreateEnum
CREATE TYPE "message_author" AS ENUM ('PERSON', 'AGENT');

-- CreateEnum
CREATE TYPE "message_status" AS ENUM ('PENDING', 'ANSWERED', 'SENT', 'FAILED');

-- AlterTable
ALTER TABLE "audit_entry" ALTER COLUMN "execution_id" DROP NOT NULL,
ALTER COLUMN "temporal_run_id" DROP NOT NULL;

-- CreateTable
CREATE TABLE "channel_conversation" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "channel_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "end_user_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "channel_conversation_pkey" PRIMARY KEY ("tenant_id","environment","channel_id","id")
);

-- CreateTable
CREATE TABLE "channel_message" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "channel_id" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "author" "message_author" NOT NULL,
    "workplace_user_id" TEXT,
    "end_user_id" TEXT,
    "text" TEXT NOT NULL,
    "status" "message_status" NOT NULL,
    "error_code" TEXT,
    "reply_to_message_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "channel_message_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "channel_message_recent" ON "channel_message"("tenant_id", "environment", "channel_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "channel_message_conversation_recent" ON "channel_message"("tenant_id", "environment", "channel_id", "conversation_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "channel_message_created" ON "channel_message" USING BRIN ("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "channel_message_answer" ON "channel_message"("tenant_id", "environment", "reply_to_message_id");

-- AddForeignKey
ALTER TABLE "channel_conversation" ADD CONSTRAINT "channel_conversation_tenant_id_environment_channel_id_fkey" FOREIGN KEY ("tenant_id", "environment", "channel_id") REFERENCES "channel"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "channel_message" ADD CONSTRAINT "channel_message_tenant_id_environment_channel_id_conversat_fkey" FOREIGN KEY ("tenant_id", "environment", "channel_id", "conversation_id") REFERENCES "channel_conversation"("tenant_id", "environment", "channel_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
