-- What lasts for less is found without them, and a short run changes nothing there.
DROP INDEX "execution_lasting";
CREATE INDEX "execution_lasting" ON "execution"("tenant_id", "environment", width_bucket("updated_at" - "created_at", '{15 s,1 min,5 min,15 min,1 h,4 h,12 h,24 h,72 h,168 h,720 h,2160 h}'::interval[]), "created_at")
    WHERE "updated_at" - "created_at" >= '15 s'::interval;

DROP INDEX "til_request_lasting";
CREATE INDEX "til_request_lasting" ON "til_request"("tenant_id", "environment", width_bucket("closed_at" - "created_at", '{15 s,1 min,5 min,15 min,1 h,4 h,12 h,24 h,72 h,168 h,720 h,2160 h}'::interval[]), "created_at")
    WHERE "closed_at" - "created_at" >= '15 s'::interval;
