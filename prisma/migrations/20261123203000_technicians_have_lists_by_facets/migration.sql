-- AlterTable
ALTER TABLE "til_request_technician" ADD COLUMN     "kind" "til_request_kind" NOT NULL DEFAULT 'PLAN',
ADD COLUMN     "status" "til_request_status" NOT NULL DEFAULT 'PENDING';

CREATE OR REPLACE FUNCTION "til_request_technician_is_placed"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    "request" RECORD;
BEGIN
    SELECT r.list_position, r.agent_id, r.status, r.kind INTO request FROM til_request r
    WHERE r.tenant_id = NEW.tenant_id AND r.environment = NEW.environment AND r.id = NEW.til_request_id
    FOR SHARE;
    IF FOUND THEN
        NEW.list_position := request.list_position;
        NEW.agent_id := request.agent_id;
        NEW.status := request.status;
        NEW.kind := request.kind;
    END IF;
    RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION "til_request_technician_moves"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE til_request_technician n SET list_position = NEW.list_position, status = NEW.status
    WHERE n.tenant_id = NEW.tenant_id AND n.environment = NEW.environment AND n.til_request_id = NEW.id;
    RETURN NULL;
END
$$;

-- The kind of a request never changes.
DROP TRIGGER "til_request_technician_moves" ON "til_request";
CREATE TRIGGER "til_request_technician_moves" AFTER UPDATE ON "til_request"
    FOR EACH ROW WHEN ((OLD.list_position, OLD.status) IS DISTINCT FROM (NEW.list_position, NEW.status))
    EXECUTE FUNCTION "til_request_technician_moves"();

-- DropIndex
DROP INDEX "til_request_technician_list";

UPDATE "til_request_technician" n SET "status" = r."status", "kind" = r."kind" FROM "til_request" r
WHERE r."tenant_id" = n."tenant_id" AND r."environment" = n."environment" AND r."id" = n."til_request_id"
    AND (n."status", n."kind") IS DISTINCT FROM (r."status", r."kind");

-- CreateIndex
CREATE INDEX "til_request_technician_facets" ON "til_request_technician"("tenant_id", "environment", "technician_id", "status", "kind", "list_position", "til_request_id");
