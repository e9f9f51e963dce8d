-- AlterEnum
ALTER TYPE "execution_slot" ADD VALUE 'SETTLING';
