-- AlterTable
ALTER TABLE "execution_work" ADD COLUMN     "lost_attempts" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "steps_done" INTEGER NOT NULL DEFAULT 0;
