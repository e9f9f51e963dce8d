-- CreateTable
CREATE TABLE "integration_customer" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "system" TEXT NOT NULL,
    "external_id" TEXT NOT NULL,
    "name" TEXT,
    "domains" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "asset_names" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "last_synced_at" TIMESTAMPTZ(3) NOT NULL,
    "missing_since" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "integration_customer_pkey" PRIMARY KEY ("tenant_id","environment","system","external_id")
);

-- CreateIndex
CREATE INDEX "integration_sync_open_of_name" ON "integration_sync"("tenant_id", "environment", "name") WHERE "status" IN ('QUEUED', 'RUNNING');
