-- CreateTable
CREATE TABLE "download_lease" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "slot" INTEGER NOT NULL,
    "holder" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "download_lease_pkey" PRIMARY KEY ("tenant_id","slot")
);
