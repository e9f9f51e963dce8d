-- CreateTable
CREATE TABLE "model_question" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "credits" DECIMAL(14,4) NOT NULL DEFAULT 0,

    CONSTRAINT "model_question_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "customer_verdict" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "system" TEXT NOT NULL,
    "external_id" TEXT NOT NULL,
    "shown_hash" TEXT NOT NULL,
    "psa_company_id" TEXT,
    "confidence" DOUBLE PRECISION NOT NULL,
    "judged_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "customer_verdict_pkey" PRIMARY KEY ("tenant_id","environment","system","external_id")
);

-- CreateIndex
CREATE INDEX "model_question_at" ON "model_question"("tenant_id", "environment", "at", "credits");

-- CreateIndex
CREATE INDEX "model_question_old" ON "model_question"("environment", "at");

-- AddForeignKey
ALTER TABLE "customer_verdict" ADD CONSTRAINT "customer_verdict_tenant_id_environment_system_external_id_fkey" FOREIGN KEY ("tenant_id", "environment", "system", "external_id") REFERENCES "integration_customer"("tenant_id", "environment", "system", "external_id") ON DELETE CASCADE ON UPDATE NO ACTION;
