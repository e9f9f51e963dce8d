-- Made by `npm run migration`, then edited by hand: lists are never null, and amounts are not negative.

-- CreateEnum
CREATE TYPE "subscription_status" AS ENUM ('TRIALING', 'ACTIVE', 'PAST_DUE', 'PAUSED', 'CANCELLED', 'EXPIRED');

-- CreateTable
CREATE TABLE "subscription" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "status" "subscription_status" NOT NULL DEFAULT 'ACTIVE',
    "plan_name" TEXT NOT NULL DEFAULT 'Standard',
    "first_period_start" TIMESTAMPTZ(3) NOT NULL,
    "trial_ends_at" TIMESTAMPTZ(3),
    "ends_at" TIMESTAMPTZ(3),
    "credits_included" INTEGER NOT NULL DEFAULT 1000,
    "overage_allowed" BOOLEAN NOT NULL DEFAULT true,
    "seats" INTEGER,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subscription_pkey" PRIMARY KEY ("tenant_id","environment"),
    CONSTRAINT "subscription_amounts_not_negative" CHECK ("credits_included" >= 0 AND "seats" >= 0)
);

-- CreateTable
CREATE TABLE "billing_alerts" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "thresholds_pct" INTEGER[] NOT NULL DEFAULT ARRAY[80, 100]::INTEGER[],
    "revision" INTEGER NOT NULL DEFAULT 2,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "billing_alerts_pkey" PRIMARY KEY ("tenant_id","environment")
);
