-- AlterTable
ALTER TABLE "execution" ADD COLUMN     "psa_company_id" TEXT;
