-- Made by `npm run migration`, then edited by hand: the generated column.

-- CreateTable
CREATE TABLE "psa_company_option" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "field_name" TEXT NOT NULL,
    "option_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "psa_company_option_pkey" PRIMARY KEY ("tenant_id","environment","field_name","option_id")
);

-- CreateTable
CREATE TABLE "psa_company_attribute" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "psa_company_id" TEXT NOT NULL,
    "field_name" TEXT NOT NULL,
    "option_id" INTEGER NOT NULL,

    CONSTRAINT "psa_company_attribute_pkey" PRIMARY KEY ("tenant_id","environment","psa_company_id","field_name")
);

-- CreateTable
CREATE TABLE "psa_technician" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "psa_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT,

    CONSTRAINT "psa_technician_pkey" PRIMARY KEY ("tenant_id","environment","psa_id")
);

-- CreateTable
CREATE TABLE "psa_contact" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "contact_id" TEXT NOT NULL,
    "psa_company_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT,
    "email_key" TEXT GENERATED ALWAYS AS (lower(btrim("email", E' \t\n\r\f\u000b\u00a0'))) STORED,
    "phone" TEXT,
    "title" TEXT,
    "is_active" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "psa_contact_pkey" PRIMARY KEY ("tenant_id","environment","contact_id")
);

-- CreateTable
CREATE TABLE "psa_ticket" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "ticket_id" TEXT NOT NULL,
    "number" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "status" TEXT NOT NULL,
    "priority" TEXT,
    "board" TEXT,
    "category" TEXT,
    "psa_company_id" TEXT,
    "contact_id" TEXT,
    "assignee_psa_id" INTEGER,
    "url" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "psa_ticket_pkey" PRIMARY KEY ("tenant_id","environment","ticket_id")
);

-- CreateTable
CREATE TABLE "psa_note" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "note_id" TEXT NOT NULL,
    "ticket_id" TEXT NOT NULL,
    "author_name" TEXT NOT NULL,
    "is_internal" BOOLEAN NOT NULL,
    "text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "psa_note_pkey" PRIMARY KEY ("tenant_id","environment","note_id")
);

-- CreateTable
CREATE TABLE "psa_time_entry" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "time_entry_id" TEXT NOT NULL,
    "ticket_id" TEXT NOT NULL,
    "technician_psa_id" INTEGER NOT NULL,
    "minutes" INTEGER NOT NULL,
    "note" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "psa_time_entry_pkey" PRIMARY KEY ("tenant_id","environment","time_entry_id")
);

-- CreateTable
CREATE TABLE "psa_write" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "ticket_id" TEXT NOT NULL,
    "made_id" TEXT,
    "written_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "psa_write_pkey" PRIMARY KEY ("tenant_id","environment","idempotency_key")
);

-- CreateIndex
CREATE INDEX "psa_contact_email" ON "psa_contact"("tenant_id", "environment", "psa_company_id", "email_key");

-- CreateIndex
CREATE INDEX "psa_ticket_contact" ON "psa_ticket"("tenant_id", "environment", "contact_id", "closed_at" DESC, "updated_at" DESC);

-- CreateIndex
CREATE INDEX "psa_ticket_assignee" ON "psa_ticket"("tenant_id", "environment", "assignee_psa_id");

-- CreateIndex
CREATE INDEX "psa_note_tenant_id_environment_ticket_id_created_at_idx" ON "psa_note"("tenant_id", "environment", "ticket_id", "created_at");

-- CreateIndex
CREATE INDEX "psa_time_entry_tenant_id_environment_ticket_id_started_at_idx" ON "psa_time_entry"("tenant_id", "environment", "ticket_id", "started_at");

-- CreateIndex
CREATE INDEX "psa_time_entry_tenant_id_environment_technician_psa_id_idx" ON "psa_time_entry"("tenant_id", "environment", "technician_psa_id");

-- CreateIndex
CREATE INDEX "psa_write_tenant_id_environment_ticket_id_idx" ON "psa_write"("tenant_id", "environment", "ticket_id");

-- AddForeignKey
ALTER TABLE "psa_company_attribute" ADD CONSTRAINT "psa_company_attribute_tenant_id_environment_field_name_opt_fkey" FOREIGN KEY ("tenant_id", "environment", "field_name", "option_id") REFERENCES "psa_company_option"("tenant_id", "environment", "field_name", "option_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "psa_ticket" ADD CONSTRAINT "psa_ticket_tenant_id_environment_contact_id_fkey" FOREIGN KEY ("tenant_id", "environment", "contact_id") REFERENCES "psa_contact"("tenant_id", "environment", "contact_id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "psa_ticket" ADD CONSTRAINT "psa_ticket_tenant_id_environment_assignee_psa_id_fkey" FOREIGN KEY ("tenant_id", "environment", "assignee_psa_id") REFERENCES "psa_technician"("tenant_id", "environment", "psa_id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "psa_note" ADD CONSTRAINT "psa_note_tenant_id_environment_ticket_id_fkey" FOREIGN KEY ("tenant_id", "environment", "ticket_id") REFERENCES "psa_ticket"("tenant_id", "environment", "ticket_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "psa_time_entry" ADD CONSTRAINT "psa_time_entry_tenant_id_environment_ticket_id_fkey" FOREIGN KEY ("tenant_id", "environment", "ticket_id") REFERENCES "psa_ticket"("tenant_id", "environment", "ticket_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "psa_time_entry" ADD CONSTRAINT "psa_time_entry_tenant_id_environment_technician_psa_id_fkey" FOREIGN KEY ("tenant_id", "environment", "technician_psa_id") REFERENCES "psa_technician"("tenant_id", "environment", "psa_id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "psa_write" ADD CONSTRAINT "psa_write_tenant_id_environment_ticket_id_fkey" FOREIGN KEY ("tenant_id", "environment", "ticket_id") REFERENCES "psa_ticket"("tenant_id", "environment", "ticket_id") ON DELETE CASCADE ON UPDATE NO ACTION;
