-- DropForeignKey
ALTER TABLE "psa_ticket" DROP CONSTRAINT "psa_ticket_tenant_id_environment_assignee_psa_id_fkey";

-- DropForeignKey
ALTER TABLE "psa_ticket" DROP CONSTRAINT "psa_ticket_tenant_id_environment_contact_id_fkey";

-- DropForeignKey
ALTER TABLE "psa_time_entry" DROP CONSTRAINT "psa_time_entry_tenant_id_environment_technician_psa_id_fkey";

-- DropIndex
DROP INDEX "psa_time_entry_tenant_id_environment_technician_psa_id_idx";
