-- AlterTable
ALTER TABLE "audit_day" ADD COLUMN     "anchored_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "retention_permit" (
    "transaction_id" BIGINT NOT NULL,

    CONSTRAINT "retention_permit_pkey" PRIMARY KEY ("transaction_id")
);

-- CreateIndex
CREATE INDEX "audit_day_unanchored" ON "audit_day"("day")
    WHERE "anchored_at" IS NULL AND "deleted_at" IS NULL;

-- Only who may execute this function can delete from the logs, in the transaction that calls it: it has the rights of the
-- owner of the tables, and the table that it writes is nobody else's. Rows of transactions that have ended are of no use.
CREATE FUNCTION "allow_retention"() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    DELETE FROM retention_permit p USING (
        SELECT transaction_id FROM retention_permit FOR UPDATE SKIP LOCKED
    ) ended
    WHERE p.transaction_id = ended.transaction_id;
    INSERT INTO retention_permit VALUES (pg_current_xact_id()::text::bigint);
END
$$;

CREATE FUNCTION "retention_is_allowed"() RETURNS boolean LANGUAGE sql SECURITY DEFINER AS $$
    SELECT EXISTS (
        SELECT FROM retention_permit p WHERE p.transaction_id = pg_current_xact_id_if_assigned()::text::bigint
    )
$$;

-- A function with the rights of its owner finds its own tables, whatever the caller has in its search path.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION allow_retention() SET search_path = pg_catalog, %I, pg_temp', current_schema());
    EXECUTE format('ALTER FUNCTION retention_is_allowed() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;

REVOKE ALL ON "retention_permit" FROM PUBLIC;
REVOKE ALL ON FUNCTION "allow_retention"() FROM PUBLIC;

CREATE OR REPLACE FUNCTION "activity_entry_stays"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' OR NOT retention_is_allowed() THEN
        RAISE EXCEPTION 'activity entries are only ever inserted';
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION "audit_entry_stays"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' OR NOT retention_is_allowed() THEN
        RAISE EXCEPTION 'audit entries are only ever inserted';
    END IF;
    RETURN NULL;
END
$$;

-- The chain of a day grows until the day is anchored, and is a checkpoint when its entries have been deleted.
CREATE OR REPLACE FUNCTION "audit_day_grows"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    grown "audit_day" := NEW;
    anchored "audit_day" := NEW;
    deleted "audit_day" := NEW;
BEGIN
    grown.entries := OLD.entries;
    grown.last_hash := OLD.last_hash;
    anchored.anchored_at := OLD.anchored_at;
    deleted.deleted_at := OLD.deleted_at;
    IF current_setting('app.audit_chain', true) = 'on' AND OLD.anchored_at IS NULL AND OLD.deleted_at IS NULL AND (
        (NEW.entries > OLD.entries AND grown IS NOT DISTINCT FROM OLD)
        OR (NEW.anchored_at IS NOT NULL AND anchored IS NOT DISTINCT FROM OLD)
    ) THEN
        RETURN NULL;
    END IF;
    IF OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL AND deleted IS NOT DISTINCT FROM OLD
        AND retention_is_allowed() THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'days of the audit log are only ever added to';
END
$$;
