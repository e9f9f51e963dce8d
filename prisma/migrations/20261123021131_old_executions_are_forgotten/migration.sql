-- CreateTable
CREATE TABLE "retention_progress" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "job" TEXT NOT NULL,
    "reached" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "retention_progress_pkey" PRIMARY KEY ("tenant_id","environment","job")
);

-- CreateIndex
CREATE INDEX "channel_conversation_created" ON "channel_conversation" USING BRIN ("created_at");

-- CreateIndex
CREATE INDEX "til_request_closed_at" ON "til_request" USING BRIN ("closed_at");
