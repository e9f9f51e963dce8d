/** Every job of the service. */
import { sweepRateLimits, sweepStoredAnswers } from './gateway/jobs.ts'
import type { Job } from './jobs/job.ts'
import { checkRollups, foldRollupShards } from './jobs/rollups.ts'

export const JOBS: readonly Job[] = [sweepRateLimits, sweepStoredAnswers, foldRollupShards, checkRollups]
