/** Every job of the service. */
import { sweepKeptAnswers, sweepRateLimits } from './gateway/sweeps.ts'
import type { Job } from './jobs/job.ts'
import { checkRollups, foldRollupShards } from './jobs/rollups.ts'

export const JOBS: readonly Job[] = [sweepRateLimits, sweepKeptAnswers, foldRollupShards, checkRollups]
