-- DropIndex
DROP INDEX "company_link_company";

-- CreateIndex: links without a company are not looked for by it.
CREATE INDEX "company_link_company" ON "company_link"("tenant_id", "environment", "psa_company_id", "system", "sort_name", "external_id")
    WHERE "psa_company_id" IS NOT NULL;
