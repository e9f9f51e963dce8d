-- Made by `npm run migration`, then edited by hand: sizes are not negative.

-- CreateTable
CREATE TABLE "documentation_file" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "documentation_file_pkey" PRIMARY KEY ("tenant_id","environment","id"),
    CONSTRAINT "documentation_file_size_not_negative" CHECK ("size_bytes" >= 0)
);

-- CreateTable
CREATE TABLE "documentation_allowance" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "limit_bytes" BIGINT NOT NULL DEFAULT 5368709120,
    "limit_files" INTEGER NOT NULL DEFAULT 10000,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "documentation_allowance_pkey" PRIMARY KEY ("tenant_id","environment"),
    CONSTRAINT "documentation_allowance_not_negative" CHECK ("limit_bytes" >= 0 AND "limit_files" >= 0)
);

-- CreateIndex
CREATE INDEX "documentation_file_size" ON "documentation_file"("tenant_id", "environment", "size_bytes");
