-- AlterTable
ALTER TABLE "idempotency_record" DROP CONSTRAINT "idempotency_record_pkey",
ADD COLUMN     "acting_user_id" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "etag" TEXT,
ADD COLUMN     "location" TEXT,
ADD CONSTRAINT "idempotency_record_pkey" PRIMARY KEY ("tenant_id", "environment", "credential_id", "acting_user_id", "operation", "key");

-- The acting user of these is known: it was fixed when the key was made.
UPDATE "idempotency_record" AS r SET "acting_user_id" = k."acting_user_id"
FROM "api_key" AS k
WHERE k."tenant_id" = r."tenant_id" AND k."environment" = r."environment" AND k."id" = r."credential_id"
  AND k."acting_user_id" IS NOT NULL;

-- Of these it is not: a header named it, and nobody may be answered with what another user did.
DELETE FROM "idempotency_record" AS r USING "api_key" AS k
WHERE k."tenant_id" = r."tenant_id" AND k."environment" = r."environment" AND k."id" = r."credential_id"
  AND k."allow_acting_user_header";
