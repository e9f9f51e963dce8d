-- AlterTable
ALTER TABLE "system_connection" ADD COLUMN     "connected_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "webhooks_registered_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "callback_payload" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "connection_id" TEXT NOT NULL,
    "callback_ids" TEXT[],
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "payload" TEXT NOT NULL,

    CONSTRAINT "callback_payload_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "psa_poll" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "leased_until" TIMESTAMPTZ(3),
    "cursors" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "psa_poll_pkey" PRIMARY KEY ("tenant_id","environment","name")
);

-- CreateTable
CREATE TABLE "webhook_removal" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "connection_id" TEXT NOT NULL,
    "settings" JSONB NOT NULL,
    "secrets" TEXT NOT NULL,
    "ingest_secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_removal_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "callback_payload_received" ON "callback_payload" USING BRIN ("received_at");
