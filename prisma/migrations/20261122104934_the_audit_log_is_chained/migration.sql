-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN     "chain_day" DATE,
ADD COLUMN     "chain_position" INTEGER;

-- CreateTable
CREATE TABLE "audit_day" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "previous_day" DATE,
    "previous_day_hash" TEXT,
    "entries" INTEGER NOT NULL,
    "last_hash" TEXT NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "audit_day_pkey" PRIMARY KEY ("tenant_id","environment","day")
);

-- CreateIndex
CREATE INDEX "audit_day_kept" ON "audit_day"("day")
    WHERE "deleted_at" IS NULL;

-- CreateIndex
CREATE INDEX "audit_entry_unclosed" ON "audit_entry"("tenant_id", "environment", "occurred_at", "sequence")
    WHERE "hash" IS NULL;

-- CreateIndex
CREATE UNIQUE INDEX "audit_entry_chain" ON "audit_entry"("tenant_id", "environment", "chain_day", "chain_position")
    WHERE "chain_day" IS NOT NULL;

-- An entry is a part of the chain, or is not.
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_closed"
    CHECK (num_nulls("hash", "previous_hash", "chain_day", "chain_position") IN (0, 4));

-- An entry stays as it was written, but for retention: SET LOCAL app.retention = 'on'
CREATE OR REPLACE FUNCTION "audit_entry_stays"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' OR current_setting('app.retention', true) IS DISTINCT FROM 'on' THEN
        RAISE EXCEPTION 'audit entries are only ever inserted';
    END IF;
    RETURN NULL;
END
$$;

-- The chain is closed over an entry once, under SET LOCAL app.audit_chain = 'on', and nothing else of it ever changes.
-- Generated columns are known to triggers that run after the update.
CREATE OR REPLACE FUNCTION "audit_entry_is_closed_once"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('app.audit_chain', true) IS DISTINCT FROM 'on' OR OLD.hash IS NOT NULL OR NEW.hash IS NULL THEN
        RAISE EXCEPTION 'audit entries are only ever inserted';
    END IF;
    NEW.hash := OLD.hash;
    NEW.previous_hash := OLD.previous_hash;
    NEW.chain_day := OLD.chain_day;
    NEW.chain_position := OLD.chain_position;
    IF NEW IS DISTINCT FROM OLD THEN
        RAISE EXCEPTION 'audit entries are only ever inserted';
    END IF;
    RETURN NULL;
END
$$;

-- The chain of a day grows while it is closed over entries, and is a checkpoint when they have been deleted.
CREATE FUNCTION "audit_day_stays"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'days of the audit log are only ever added to';
END
$$;

CREATE TRIGGER "audit_day_stays" BEFORE DELETE OR TRUNCATE ON "audit_day"
    FOR EACH STATEMENT EXECUTE FUNCTION "audit_day_stays"();

CREATE FUNCTION "audit_day_grows"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    grown "audit_day" := NEW;
    deleted "audit_day" := NEW;
BEGIN
    grown.entries := OLD.entries;
    grown.last_hash := OLD.last_hash;
    deleted.deleted_at := OLD.deleted_at;
    IF current_setting('app.audit_chain', true) = 'on' AND NEW.entries > OLD.entries AND OLD.deleted_at IS NULL
        AND grown IS NOT DISTINCT FROM OLD THEN
        RETURN NULL;
    END IF;
    IF current_setting('app.retention', true) = 'on' AND OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL
        AND deleted IS NOT DISTINCT FROM OLD THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'days of the audit log are only ever added to';
END
$$;

CREATE TRIGGER "audit_day_grows" AFTER UPDATE ON "audit_day"
    FOR EACH ROW EXECUTE FUNCTION "audit_day_grows"();
