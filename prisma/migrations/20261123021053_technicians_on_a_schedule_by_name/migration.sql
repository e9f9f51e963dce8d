-- DropIndex
DROP INDEX "technician_profile_tenant_id_environment_schedule_id_id_idx";

-- CreateIndex
CREATE INDEX "technician_profile_tenant_id_environment_schedule_id_sort_n_idx" ON "technician_profile"("tenant_id", "environment", "schedule_id", "sort_name", "id");
