-- CreateTable
CREATE TABLE "system_connection" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "connection_id" TEXT NOT NULL,
    "settings" JSONB NOT NULL,
    "secret_names" TEXT[],
    "secrets" TEXT,
    "ingest_secret" TEXT,
    "poll_interval_seconds" INTEGER NOT NULL DEFAULT 300,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_by_name" TEXT NOT NULL,

    CONSTRAINT "system_connection_pkey" PRIMARY KEY ("tenant_id","environment","name")
);

-- CreateIndex
CREATE UNIQUE INDEX "system_connection_connection_id_key" ON "system_connection"("connection_id");
