-- CreateEnum
CREATE TYPE "callback_turn" AS ENUM ('QUEUE', 'ENTITY', 'OUTAGE');

-- AlterTable
ALTER TABLE "callback" ADD COLUMN     "away_since" TIMESTAMPTZ(3),
ADD COLUMN     "is_again" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "psa_wait_seconds" DOUBLE PRECISION NOT NULL DEFAULT 0,
ADD COLUMN     "waits_for" "callback_turn";

-- AlterTable
ALTER TABLE "system_connection" ADD COLUMN     "failing_since" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "callback_gate" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "opens_at" TIMESTAMPTZ(3) NOT NULL,
    "short_since" TIMESTAMPTZ(3),
    "away_since" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "callback_gate_pkey" PRIMARY KEY ("tenant_id","environment")
);

-- CreateTable
CREATE TABLE "request_place" (
    "key" TEXT NOT NULL,
    "place" INTEGER NOT NULL,
    "holder" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "request_place_pkey" PRIMARY KEY ("key","place")
);

-- CreateIndex
CREATE INDEX "callback_gate_opens" ON "callback_gate"("environment", "opens_at");

-- CreateIndex
CREATE INDEX "request_place_expires_at_idx" ON "request_place"("expires_at");

-- Events that wait for another one of their entity are not looked for.
DROP INDEX "callback_waiting";
CREATE INDEX "callback_waiting" ON "callback"("tenant_id", "environment", "waits_since", "id")
    WHERE "waits_since" IS NOT NULL AND "waits_for" IS DISTINCT FROM 'ENTITY'::"callback_turn";

-- The funnel reads the new wait from the index.
DROP INDEX "callback_recent";
CREATE INDEX "callback_recent" ON "callback"("tenant_id", "environment", "received_at" DESC, "id" DESC, "status", "entity_type", "entity_id", "change_types", "psa_changed_at", "sleep_seconds", "wait_seconds", "psa_wait_seconds", "work_seconds", "processed_at");

-- CreateIndex
CREATE INDEX "callback_waits_for_entity" ON "callback"("tenant_id", "environment", "entity_type", "entity_id", "waits_since", "id")
    WHERE "waits_since" IS NOT NULL AND "waits_for" = 'ENTITY'::"callback_turn";
