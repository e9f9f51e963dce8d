-- CreateEnum
CREATE TYPE "turn_end" AS ENUM ('DONE', 'LENGTH', 'REFUSED');

-- CreateTable
CREATE TABLE "execution_turn" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "temporal_run_id" TEXT NOT NULL,
    "text" TEXT,
    "calls" JSON NOT NULL,
    "ended" "turn_end" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "execution_turn_pkey" PRIMARY KEY ("tenant_id","environment","execution_id","sequence")
);

-- AddForeignKey
ALTER TABLE "execution_turn" ADD CONSTRAINT "execution_turn_tenant_id_environment_execution_id_fkey" FOREIGN KEY ("tenant_id", "environment", "execution_id") REFERENCES "execution"("tenant_id", "environment", "execution_id") ON DELETE CASCADE ON UPDATE NO ACTION;
