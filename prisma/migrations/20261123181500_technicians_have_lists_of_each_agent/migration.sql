-- AlterTable
ALTER TABLE "til_request_technician" ADD COLUMN "agent_id" INTEGER;

CREATE OR REPLACE FUNCTION "til_request_technician_is_placed"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    "request" RECORD;
BEGIN
    SELECT r.list_position, r.agent_id INTO request FROM til_request r
    WHERE r.tenant_id = NEW.tenant_id AND r.environment = NEW.environment AND r.id = NEW.til_request_id
    FOR SHARE;
    IF FOUND THEN
        NEW.list_position := request.list_position;
        NEW.agent_id := request.agent_id;
    END IF;
    RETURN NEW;
END
$$;

UPDATE "til_request_technician" n SET "agent_id" = r."agent_id" FROM "til_request" r
WHERE r."tenant_id" = n."tenant_id" AND r."environment" = n."environment" AND r."id" = n."til_request_id"
    AND r."agent_id" IS NOT NULL;

-- CreateIndex
CREATE INDEX "til_request_technician_agent_list" ON "til_request_technician"("tenant_id", "environment", "technician_id", "agent_id", "list_position", "til_request_id")
    WHERE "agent_id" IS NOT NULL;
