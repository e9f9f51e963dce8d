-- AlterTable
ALTER TABLE "technician_profile" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3),
ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "schedule_id" INTEGER,
ADD COLUMN     "skills" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "sort_name" TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower("name")) STORED;

-- CreateTable
CREATE TABLE "technician_schedule" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "sort_name" TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower("name")) STORED,
    "timezone" TEXT NOT NULL,
    "windows" JSONB NOT NULL,
    "updated_by_user" TEXT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "technician_schedule_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "technician_schedule_tenant_id_environment_sort_name_key" ON "technician_schedule"("tenant_id", "environment", "sort_name");

-- CreateIndex
CREATE INDEX "technician_profile_tenant_id_environment_sort_name_id_idx" ON "technician_profile"("tenant_id", "environment", "sort_name", "id");

-- CreateIndex
CREATE INDEX "technician_profile_tenant_id_environment_schedule_id_id_idx" ON "technician_profile"("tenant_id", "environment", "schedule_id", "id");

-- AddForeignKey
ALTER TABLE "technician_profile" ADD CONSTRAINT "technician_profile_tenant_id_environment_schedule_id_fkey" FOREIGN KEY ("tenant_id", "environment", "schedule_id") REFERENCES "technician_schedule"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;
