-- The expression of a generated column cannot be changed: the column is made again, with its index.
ALTER TABLE "psa_contact" DROP COLUMN "email_key";
ALTER TABLE "psa_contact" ADD COLUMN "email_key" TEXT
  GENERATED ALWAYS AS (lower(btrim("email", E' \t\n\r\f\u000b\u00a0') COLLATE "C")) STORED;
CREATE INDEX "psa_contact_email" ON "psa_contact"("tenant_id", "environment", "psa_company_id", "email_key");
