-- AlterEnum
ALTER TYPE "filter_reason" ADD VALUE 'ENTITY_NOT_FOUND';

-- AlterTable
ALTER TABLE "callback" ADD COLUMN     "looks" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "psa_key" TEXT NOT NULL DEFAULT 'LOCAL';

-- AlterTable
ALTER TABLE "callback_entity" ADD COLUMN     "psa_key" TEXT NOT NULL DEFAULT 'LOCAL';

-- Events and versions that came since the present connection leads to its system are of that system.
WITH present AS (
    SELECT "tenant_id", "environment", "connected_at", "connection_id" || ' '
        || left(encode(sha256(convert_to(("settings" - 'client_id')::text, 'UTF8')), 'hex'), 22) AS "psa_key"
    FROM "system_connection"
    WHERE "secrets" IS NOT NULL AND "name" IN ('connectwise-psa', 'autotask-psa', 'halo-psa')
), versions AS (
    UPDATE "callback_entity" v SET "psa_key" = p."psa_key" FROM present p
    WHERE v."tenant_id" = p."tenant_id" AND v."environment" = p."environment" AND v."seen_at" >= p."connected_at"
)
UPDATE "callback" c SET "psa_key" = p."psa_key" FROM present p
WHERE c."tenant_id" = p."tenant_id" AND c."environment" = p."environment" AND c."received_at" >= p."connected_at";

-- Events and versions of other tenants that have connected a PSA, and earlier ones, are of no system that can be told.
DELETE FROM "callback_entity" v USING "system_connection" s
WHERE v."psa_key" = 'LOCAL' AND v."tenant_id" = s."tenant_id" AND v."environment" = s."environment"
    AND s."name" IN ('connectwise-psa', 'autotask-psa', 'halo-psa');
UPDATE "callback" c SET "psa_key" = 'UNKNOWN' FROM "system_connection" s
WHERE c."psa_key" = 'LOCAL' AND c."tenant_id" = s."tenant_id" AND c."environment" = s."environment"
    AND s."name" IN ('connectwise-psa', 'autotask-psa', 'halo-psa');

-- AlterTable
ALTER TABLE "callback_entity" DROP CONSTRAINT "callback_entity_pkey",
ADD CONSTRAINT "callback_entity_pkey" PRIMARY KEY ("tenant_id", "environment", "psa_key", "entity");

-- The ids of the events of one PSA are not those of another.
DROP INDEX "callback_event";
CREATE UNIQUE INDEX "callback_event" ON "callback"("tenant_id", "environment", "psa_key", "event_id");

-- Tickets of other PSAs are not looked at.
DROP INDEX "callback_entity_quiet";
CREATE INDEX "callback_entity_quiet" ON "callback_entity"("tenant_id", "environment", "psa_key", "open_status", "quiet_since") WHERE "quiet_since" IS NOT NULL;
