-- The classes are those of src/db/query/lasting.ts.
DROP INDEX "execution_updated";
CREATE INDEX "execution_lasting" ON "execution"("tenant_id", "environment", width_bucket("updated_at" - "created_at", '{15 s,1 min,5 min,15 min,1 h,4 h,12 h,24 h,72 h,168 h,720 h,2160 h}'::interval[]), "created_at");

DROP INDEX "til_request_created";
CREATE INDEX "til_request_lasting" ON "til_request"("tenant_id", "environment", width_bucket("closed_at" - "created_at", '{15 s,1 min,5 min,15 min,1 h,4 h,12 h,24 h,72 h,168 h,720 h,2160 h}'::interval[]), "created_at")
    WHERE "closed_at" IS NOT NULL;
