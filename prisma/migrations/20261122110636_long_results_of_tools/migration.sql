-- CreateTable
CREATE TABLE "tool_result" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "call_id" TEXT NOT NULL,
    "execution_id" TEXT,
    "text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tool_result_pkey" PRIMARY KEY ("tenant_id","environment","call_id")
);

-- CreateIndex
CREATE INDEX "tool_result_created_at_idx" ON "tool_result"("created_at");
