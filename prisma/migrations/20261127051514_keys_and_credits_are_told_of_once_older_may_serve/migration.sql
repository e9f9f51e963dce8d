-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "expiry_told_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "billing_threshold" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "period_start" TIMESTAMPTZ(3) NOT NULL,
    "threshold_pct" INTEGER NOT NULL,
    "reached_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "billing_threshold_pkey" PRIMARY KEY ("tenant_id","environment","period_start","threshold_pct")
);

-- CreateIndex
CREATE INDEX "api_key_expiring" ON "api_key"("environment", "expires_at")
    WHERE "expiry_told_at" IS NULL AND "sunset_at" IS NULL AND "revoked_at" IS NULL;
