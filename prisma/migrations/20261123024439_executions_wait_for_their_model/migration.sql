-- AlterTable
ALTER TABLE "execution_work" ADD COLUMN     "model_tries" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "model_waits_since" TIMESTAMPTZ(3);
