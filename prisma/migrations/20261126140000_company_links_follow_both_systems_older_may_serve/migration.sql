-- AlterTable
ALTER TABLE "end_company" ADD COLUMN     "missing_since" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "company_link" ADD COLUMN     "company_missing" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "mapped_company_name" TEXT,
ADD COLUMN     "mapped_external_name" TEXT;

-- A sync that marks a company changes it after it was last read.
UPDATE "end_company" SET "missing_since" = "updated_at"
WHERE "status" = 'INACTIVE' AND ("last_synced_at" IS NULL OR "last_synced_at" < "updated_at");

UPDATE "company_link" SET "mapped_external_name" = "external_name", "mapped_company_name" = "psa_company_name"
WHERE "psa_company_id" IS NOT NULL;

UPDATE "company_link" l SET "psa_company_name" = c."name", "company_missing" = c."missing_since" IS NOT NULL
FROM "end_company" c
WHERE (c."tenant_id", c."environment", c."psa_company_id") = (l."tenant_id", l."environment", l."psa_company_id");

UPDATE "company_link" l SET "external_name" = c."name"
FROM "integration_customer" c
WHERE (c."tenant_id", c."environment", c."system", c."external_id") = (l."tenant_id", l."environment", l."system", l."external_id");

-- The rule `needsReview`.
ALTER TABLE "company_link" ADD COLUMN     "needs_review" BOOLEAN NOT NULL GENERATED ALWAYS AS (
    "psa_company_id" IS NOT NULL AND ("company_missing" OR CASE "link_state"
        WHEN 'AUTO' THEN "confidence" < 0.95
        WHEN 'MANUAL' THEN coalesce("mapped_external_name", "external_name") IS DISTINCT FROM "external_name"
            AND coalesce("mapped_company_name", "psa_company_name") IS DISTINCT FROM "psa_company_name"
        ELSE false END)
) STORED;

DROP INDEX "company_link_facets";
CREATE INDEX "company_link_facets" ON "company_link"("tenant_id", "environment", "system", "mapped", "link_state", ("needs_review"::int), "sort_name", "external_id")
    WHERE NOT "hidden";

-- Links have the name that their company has in the PSA. Writers of links lock the company first: no link is missed.
CREATE FUNCTION "company_link_follow_company"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM company_link l
    WHERE l.tenant_id = NEW.tenant_id AND l.environment = NEW.environment AND l.psa_company_id = NEW.psa_company_id
    ORDER BY l.system, l.external_id FOR UPDATE;
    UPDATE company_link l
    SET psa_company_name = NEW.name, company_missing = NEW.missing_since IS NOT NULL, updated_at = NEW.updated_at
    WHERE l.tenant_id = NEW.tenant_id AND l.environment = NEW.environment AND l.psa_company_id = NEW.psa_company_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER "end_company_links_follow" AFTER UPDATE ON "end_company" FOR EACH ROW
    WHEN (OLD."name" IS DISTINCT FROM NEW."name" OR (OLD."missing_since" IS NULL) <> (NEW."missing_since" IS NULL))
    EXECUTE FUNCTION "company_link_follow_company"();

-- Links have the name that the integration has for their customer. Writers of links lock the customer first.
CREATE FUNCTION "company_link_follow_customer"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE company_link l SET external_name = NEW.name, updated_at = NEW.updated_at
    WHERE l.tenant_id = NEW.tenant_id AND l.environment = NEW.environment AND l.system = NEW.system
        AND l.external_id = NEW.external_id AND l.external_name IS DISTINCT FROM NEW.name;
    RETURN NULL;
END
$$;

CREATE TRIGGER "integration_customer_link_follows_insert" AFTER INSERT ON "integration_customer" FOR EACH ROW
    EXECUTE FUNCTION "company_link_follow_customer"();
CREATE TRIGGER "integration_customer_link_follows_update" AFTER UPDATE ON "integration_customer" FOR EACH ROW
    WHEN (OLD."name" IS DISTINCT FROM NEW."name")
    EXECUTE FUNCTION "company_link_follow_customer"();
