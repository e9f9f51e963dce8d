-- The id of an option is unique among those of all fields: the options that are there get new ids, by field and in it as
-- before.
CREATE TEMPORARY TABLE "renumbered" AS
    SELECT "tenant_id", "environment", "field_name", "option_id",
        row_number() OVER (PARTITION BY "tenant_id", "environment" ORDER BY "field_name", "option_id")::int AS "id"
    FROM "psa_company_option";

ALTER TABLE "psa_company_attribute" DROP CONSTRAINT "psa_company_attribute_tenant_id_environment_field_name_opt_fkey";

UPDATE "psa_company_attribute" a SET "option_id" = n."id"
FROM "renumbered" n
WHERE (a."tenant_id", a."environment", a."field_name", a."option_id")
    = (n."tenant_id", n."environment", n."field_name", n."option_id");

UPDATE "company_filters" f SET "filters" = (
    SELECT jsonb_agg(one || jsonb_build_object('selected_options', (
        SELECT jsonb_agg(CASE WHEN n."id" IS NULL THEN chosen ELSE chosen || jsonb_build_object('id', n."id") END
            ORDER BY position)
        FROM jsonb_array_elements(one -> 'selected_options') WITH ORDINALITY AS selected (chosen, position)
        LEFT JOIN "renumbered" n
            ON (n."tenant_id", n."environment", n."field_name", n."option_id")
                = (f."tenant_id", f."environment", one ->> 'field_name', (chosen ->> 'id')::int)
    )) ORDER BY place)
    FROM jsonb_array_elements(f."filters") WITH ORDINALITY AS stored (one, place)
)
WHERE f."filters" <> '[]';

UPDATE "psa_company_option" o SET "option_id" = -n."id"
FROM "renumbered" n
WHERE (o."tenant_id", o."environment", o."field_name", o."option_id")
    = (n."tenant_id", n."environment", n."field_name", n."option_id");

UPDATE "psa_company_option" SET "option_id" = -"option_id";

DROP TABLE "renumbered";

-- CreateIndex
CREATE UNIQUE INDEX "psa_company_option_tenant_id_environment_option_id_key" ON "psa_company_option"("tenant_id", "environment", "option_id");

-- AddForeignKey
ALTER TABLE "psa_company_attribute" ADD CONSTRAINT "psa_company_attribute_tenant_id_environment_field_name_opt_fkey" FOREIGN KEY ("tenant_id", "environment", "field_name", "option_id") REFERENCES "psa_company_option"("tenant_id", "environment", "field_name", "option_id") ON DELETE CASCADE ON UPDATE NO ACTION;
