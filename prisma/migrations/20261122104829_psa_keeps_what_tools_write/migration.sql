-- AlterTable
ALTER TABLE "psa_ticket" ADD COLUMN     "merged_into_ticket_id" TEXT,
ADD COLUMN     "resolution" TEXT,
ADD COLUMN     "type" TEXT;

-- AlterTable
ALTER TABLE "psa_time_entry" ADD COLUMN     "agreement" TEXT,
ADD COLUMN     "returned_reason" TEXT,
ALTER COLUMN "technician_psa_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "psa_write" ALTER COLUMN "ticket_id" DROP NOT NULL;

-- CreateTable
CREATE TABLE "psa_attachment" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "attachment_id" TEXT NOT NULL,
    "ticket_id" TEXT NOT NULL,
    "file_name" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL,

    CONSTRAINT "psa_attachment_pkey" PRIMARY KEY ("tenant_id","environment","attachment_id")
);

-- CreateTable
CREATE TABLE "psa_agreement" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "psa_company_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "psa_agreement_pkey" PRIMARY KEY ("tenant_id","environment","psa_company_id","name")
);

-- CreateTable
CREATE TABLE "psa_message" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "contact_id" TEXT NOT NULL,
    "ticket_id" TEXT,
    "author_name" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "psa_message_pkey" PRIMARY KEY ("tenant_id","environment","message_id")
);

-- CreateIndex
CREATE INDEX "psa_attachment_tenant_id_environment_ticket_id_idx" ON "psa_attachment"("tenant_id", "environment", "ticket_id");

-- CreateIndex
CREATE INDEX "psa_message_tenant_id_environment_ticket_id_idx" ON "psa_message"("tenant_id", "environment", "ticket_id");

-- AddForeignKey
ALTER TABLE "psa_attachment" ADD CONSTRAINT "psa_attachment_tenant_id_environment_ticket_id_fkey" FOREIGN KEY ("tenant_id", "environment", "ticket_id") REFERENCES "psa_ticket"("tenant_id", "environment", "ticket_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "psa_message" ADD CONSTRAINT "psa_message_tenant_id_environment_ticket_id_fkey" FOREIGN KEY ("tenant_id", "environment", "ticket_id") REFERENCES "psa_ticket"("tenant_id", "environment", "ticket_id") ON DELETE CASCADE ON UPDATE NO ACTION;
