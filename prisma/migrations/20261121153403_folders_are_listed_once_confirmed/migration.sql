-- Made by `npm run migration`, then edited by hand: `hidden` becomes a generated column. A link of a system whose
-- entities are folders, as the registry of integrations says, is hidden until a person has mapped or confirmed it.

-- Nobody rebuilds the counts meanwhile.
SELECT pg_advisory_xact_lock(hashtextextended('rebuild_rollups', 0));

-- AlterTable
ALTER TABLE "company_link" ADD COLUMN "confirmed_at" TIMESTAMPTZ(3);

-- Of the folders that were listed, a person has mapped or confirmed the MANUAL ones.
UPDATE "company_link" SET "confirmed_at" = coalesce("mapped_at", "updated_at")
    WHERE "system" = 'SHAREPOINT' AND "link_state" = 'MANUAL' AND NOT "hidden";

-- Drops the index company_link_list too.
ALTER TABLE "company_link" DROP COLUMN "hidden";

-- AlterTable
ALTER TABLE "company_link" ADD COLUMN "hidden" BOOLEAN NOT NULL
    GENERATED ALWAYS AS ("system" = 'SHAREPOINT' AND "confirmed_at" IS NULL) STORED;

-- CreateIndex
CREATE INDEX "company_link_list" ON "company_link"("tenant_id", "environment", "system", "hidden", "mapped", "sort_name", "external_id");

-- No trigger sees what a generated column becomes when it is added.
DO $$
BEGIN
    EXECUTE add_to_company_link_count(rollup_rows('company_link', 1, 'company_link')
        || ' UNION ALL ' || rollup_rows('company_link_count', -1, 'company_link_count'));
END
$$;
