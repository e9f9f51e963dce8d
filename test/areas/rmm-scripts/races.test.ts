/** Decisions about runs, and what happens to their scripts, at once. */
import { beforeAll, expect, it } from 'vitest'
import { READ_PAGE } from '../../../src/areas/integration-syncs/declared.ts'
import { WORK } from '../../../src/areas/rmm-scripts/runs/declared.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { performAtOnce, performWaiting } from '../../setup/due.ts'
import { installQueues } from '../agents/runnable.ts'
import { RACES } from '../til-requests/supervised.ts'
import { office } from './office.ts'

beforeAll(installQueues)

const rounds = Array.from({ length: RACES }, (_, n) => n)

describeApi('at once', (api) => {
  it('an approval and a sync that finds another body end in one right state every time', async () => {
    const its = await office(api)
    const { msp, done, work } = its
    const where = { tenant_id: msp.tenant_id, script_id: 'clean' }
    for (const round of rounds) {
      await done(msp.admin, 'update_rmm_script', { script_id: 'scr_clean', input: { agent_enabled: true } })
      const { data } = await its.runScript(msp.key, 'clean')
      const approved_body = (await done(msp.admin, 'rmm_script', { script_id: 'scr_clean' })).body_sha256
      await msp.database.prisma.localRmmScript.updateMany({ where, data: { body: `Body ${round}` } })
      await done(msp.admin, 'sync_rmm_scripts', { input: { system: 'NINJAONE' } })
      const [answer] = await Promise.all([
        its.approve(msp.admin, data.til_request_id),
        performWaiting(msp, READ_PAGE.name),
      ])
      await work()
      const run = await done(msp.key, 'rmm_script_run', { run_id: data.id })
      const { status } = await done(msp.admin, 'til_request', { til_request_id: data.til_request_id })
      expect(run.body_sha256).toBe(approved_body)
      expect([...outcome(answer), status, run.status, run.error_code]).toEqual(
        answer.status === 200
          ? [200, undefined, 'APPROVED', 'FAILED', 'script_changed_since_approval']
          : [409, 'script_changed_since_approval', 'SUPERSEDED', 'CANCELLED', null],
      )
      expect(await its.starts('clean')).toEqual([])
    }
  })

  it('a cancellation and the start of a run end in one of both', async () => {
    const its = await office(api)
    const { msp, done, work } = its
    let started = 0
    for (const _ of rounds) {
      const { data } = await its.runScript(msp.admin, 'clean')
      const [answer] = await Promise.all([
        its.call(msp.admin, 'cancel_rmm_script_run', { run_id: data.id }),
        performWaiting(msp, WORK.name),
      ])
      await work()
      const { status } = await done(msp.admin, 'rmm_script_run', { run_id: data.id })
      expect([answer.status, status]).toEqual(answer.status === 200 ? [200, 'CANCELLED'] : [409, 'SUCCEEDED'])
      if (answer.status === 409) started++
      expect(await its.starts('clean')).toHaveLength(started)
    }
  })

  it('two approvals and two workers start one run', async () => {
    const its = await office(api)
    const { msp, done, work } = its
    const { data } = await its.runScript(msp.key, 'clean')
    const answers = await Promise.all([1, 2].map(() => its.approve(msp.admin, data.til_request_id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    await performAtOnce(msp, WORK.name, 3)
    await work()
    expect(await done(msp.key, 'rmm_script_run', { run_id: data.id })).toMatchObject({ status: 'SUCCEEDED' })
    expect(await its.starts('clean')).toHaveLength(1)
  })
})
