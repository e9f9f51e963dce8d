/** The loops and the jobs of dispatch. */
import { tenantJob } from '../../jobs/job.ts'
import type { Loop } from '../../jobs/loop.ts'
import { retentionJob } from '../../jobs/retention.ts'
import { KEPT_DAYS } from '../../lib/kept-window.ts'
import { finish, leaveToPeople } from './assigning/automatic.ts'
import { expireDecisions } from './assigning/expire.ts'
import { decideArrived } from './deciding/arrived.ts'
import { FAMILIAR_DAYS } from './deciding/facts.ts'
import { ASSIGN, DECIDE } from './declared.ts'

/** Outages of a PSA last minutes: it is asked for 34 of them. */
const ASKING_PSA = {
  transaction: false,
  waits: true,
  retries: 10,
  retry_delay_seconds: 2,
  timeout_seconds: 120,
  concurrency: 20,
  concurrency_of_tenant: 5,
} as const

/** Decides who takes a ticket that arrived. */
export const decideWhoTakes = tenantJob({
  ...DECIDE,
  ...ASKING_PSA,
  handler: decideArrived,
})

/** Gives a ticket to its technician. */
export const assignTicket = tenantJob({
  ...ASSIGN,
  ...ASKING_PSA,
  async handler(ctx, { decision_id }) {
    await finish(ctx, decision_id)
  },
  onGivenUp: leaveToPeople,
})

/** Ends the suggestions whose time is over, and takes up the writes whose process was lost. */
export const expireSuggestions: Loop = {
  name: 'dispatch.expire',
  interval_ms: 1_000,
  run: expireDecisions,
}

/** Deletes the decisions that are no longer kept. */
export const deleteOldDecisions = retentionJob({
  name: 'dispatch.delete_old_decisions',
  table: 'dispatch_decision',
  time: 'created_at',
  days: KEPT_DAYS,
})

/** Deletes what says that technicians had tickets of companies, once it is too old to count. */
export const deleteOldFamiliarity = retentionJob({
  name: 'dispatch.delete_old_familiarity',
  table: 'dispatch_familiarity',
  key: ['psa_company_id', 'psa_id'],
  time: 'last_at',
  days: FAMILIAR_DAYS,
})
