/** Decisions of several technicians about one change of a run, at once. */
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { psaOfTenant } from '../../setup/psa.ts'
import { performRuns } from '../../setup/runs.ts'
import { installQueues } from '../agents/runnable.ts'
import { executionOf, NOTE, start } from '../executions/run/chain.ts'
import { decisions, openRequest, RACES, SUPERVISED, supervisedMsp } from './supervised.ts'

beforeAll(installQueues)

describe.runIf(process.env.DATABASE_URL)('at once', () => {
  describeApi('decisions about a change', (api) => {
    const { approve, reject } = decisions(api)

    /** A run whose one change waits. */
    const waiting = async () => {
      const msp = await supervisedMsp([NOTE])
      const execution_id = await start(api, msp, '4711', SUPERVISED)
      await performRuns(msp)
      await approve(msp.user, (await openRequest(api, msp, execution_id)).id)
      await performRuns(msp)
      return { msp, execution_id, ...(await openRequest(api, msp, execution_id)) }
    }

    it('approve and reject: the change is made if the approval won, once, and not if it lost', async () => {
      for (let turn = 0; turn < RACES; turn++) {
        const { msp, execution_id, id } = await waiting()
        const [approved, rejected] = await Promise.all([approve(msp.admin, id), reject(msp.user, id)])
        const won = approved.status === 200
        expect([approved, rejected].map(outcome)).toEqual(
          won
            ? [
                [200, undefined],
                [409, 'til_request_closed'],
              ]
            : [
                [409, 'til_request_closed'],
                [200, undefined],
              ],
        )
        await performRuns(msp)
        expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(won ? 1 : 0)
        expect(await executionOf(api, msp, execution_id)).toMatchObject({
          status: 'COMPLETED',
          resolution: won ? 'FULL' : 'NONE',
          run_count: 3,
        })
      }
    })

    it('approve twice: the change is made once', async () => {
      for (let turn = 0; turn < RACES; turn++) {
        const { msp, execution_id, id } = await waiting()
        const answers = await Promise.all([approve(msp.admin, id), approve(msp.user, id)])
        expect(answers.map(outcome).toSorted()).toEqual([
          [200, undefined],
          [409, 'til_request_closed'],
        ])
        await Promise.all([performRuns(msp), performRuns(msp)])
        expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
        expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED', run_count: 3 })
      }
    })
  })
})
