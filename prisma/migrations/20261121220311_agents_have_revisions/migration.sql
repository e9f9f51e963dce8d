-- CreateTable
CREATE TABLE "agent_revision" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "agent_id" INTEGER NOT NULL,
    "revision" INTEGER NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,
    "changed_by_name" TEXT NOT NULL,
    "changed_paths" TEXT[],
    "snapshot" JSONB NOT NULL,

    CONSTRAINT "agent_revision_pkey" PRIMARY KEY ("tenant_id","environment","agent_id","revision")
);

-- AddForeignKey
ALTER TABLE "agent_revision" ADD CONSTRAINT "agent_revision_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
