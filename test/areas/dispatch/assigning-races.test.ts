/** Calls, jobs and the PSA in the same moment. On PostgreSQL, where transactions are at work at once. */
import { describe, expect, it } from 'vitest'
import { assignAutomatic } from '../../../src/areas/dispatch/assigning/automatic.ts'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { counted } from '../../setup/at-once.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { decisionsOf, setDispatch } from '../../setup/dispatch.ts'
import type { Msp } from '../../setup/world.ts'
import {
  apply,
  assigneeOf,
  DECISION,
  dispatchMsp,
  graphql,
  override,
  rest,
  services,
  useDispatchPsa,
  writesOf,
} from './dispatch-psa.ts'

/** The times that each race is run: 5, or as often as `TEST_RACES` says. */
const RACES = Number(process.env.TEST_RACES ?? 5)

useDispatchPsa()

const automatic = ({ tenant_id, environment }: Msp) =>
  assignAutomatic(serviceContext(services(), 'test', 'test', { tenant_id, environment }), DECISION)

describe.runIf(process.env.DATABASE_URL)('at once,', () => {
  it('of two who apply, one does, and the other one reads APPLIED', { timeout: 120_000 }, async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await dispatchMsp()
      const answers = await Promise.all([apply(rest, msp), apply(graphql, msp)])
      expect(counted(answers)).toEqual({ 200: 1, dispatch_decision_closed: 1 })
      expect(answers.find(({ error }) => error)?.error?.details.status).toBe('APPLIED')
      expect(await writesOf(msp)).toHaveLength(1)
      expect(await activitiesOf(msp)).toHaveLength(1)
    }
  })

  it('of an apply and an override one gives the ticket', { timeout: 120_000 }, async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await dispatchMsp()
      const answers = await Promise.all([apply(rest, msp), override(rest, msp)])
      expect(counted(answers)).toEqual({ 200: 1, dispatch_decision_closed: 1 })
      const [decision] = await decisionsOf(msp)
      expect(await assigneeOf(msp)).toBe(decision?.status === 'APPLIED' ? 11 : 12)
      expect(await writesOf(msp)).toEqual([`${DECISION}/assign/${decision?.chosen_technician_id}`])
    }
  })

  it('an automatic decision is applied once, and both who apply it read so', {
    timeout: 120_000,
  }, async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await dispatchMsp({ is_automatic: true })
      await setDispatch(msp, { mode: 'AUTO' })
      const done = await Promise.all([automatic(msp), automatic(msp)])
      expect(done.map(({ status }) => status)).toEqual(['APPLIED', 'APPLIED'])
      expect(await writesOf(msp)).toHaveLength(1)
      expect(await activitiesOf(msp)).toHaveLength(1)
    }
  })
})
