-- For the sweep of executions whose job was lost: those that wait to be taken up, of all tenants.
CREATE INDEX "execution_accepted" ON "execution" ("updated_at") WHERE "status" = 'NEW' AND "request_id" IS NOT NULL;
