-- CreateTable
CREATE TABLE "company_filters" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "filters" JSONB NOT NULL DEFAULT '[]',
    "revision" INTEGER NOT NULL DEFAULT 2,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "company_filters_pkey" PRIMARY KEY ("tenant_id","environment")
);
