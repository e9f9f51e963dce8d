-- A request that moves in the list moves in the lists of its technicians too.
CREATE FUNCTION "til_request_technician_moves"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE til_request_technician n SET list_position = NEW.list_position
    WHERE n.tenant_id = NEW.tenant_id AND n.environment = NEW.environment AND n.til_request_id = NEW.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER "til_request_technician_moves" AFTER UPDATE ON "til_request"
    FOR EACH ROW WHEN (OLD.list_position IS DISTINCT FROM NEW.list_position)
    EXECUTE FUNCTION "til_request_technician_moves"();

-- AlterTable
ALTER TABLE "til_request_technician" ADD COLUMN "list_position" DOUBLE PRECISION NOT NULL DEFAULT 0;

UPDATE "til_request_technician" n SET "list_position" = r."list_position" FROM "til_request" r
WHERE r."tenant_id" = n."tenant_id" AND r."environment" = n."environment" AND r."id" = n."til_request_id";

-- The lock waits for whoever is closing the request, and lets nobody close it before the technician is stored.
CREATE FUNCTION "til_request_technician_is_placed"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    "place" DOUBLE PRECISION;
BEGIN
    SELECT r.list_position INTO place FROM til_request r
    WHERE r.tenant_id = NEW.tenant_id AND r.environment = NEW.environment AND r.id = NEW.til_request_id
    FOR SHARE;
    IF FOUND THEN
        NEW.list_position := place;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER "til_request_technician_is_placed" BEFORE INSERT ON "til_request_technician"
    FOR EACH ROW EXECUTE FUNCTION "til_request_technician_is_placed"();

-- DropIndex
DROP INDEX "til_request_technician_tenant_id_environment_technician_id__idx";

-- CreateIndex
CREATE INDEX "til_request_technician_list" ON "til_request_technician"("tenant_id", "environment", "technician_id", "list_position", "til_request_id");
