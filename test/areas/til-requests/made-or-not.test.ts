/** A write of which the PSA does not tell whether it made it: a technician says so. */
import { beforeAll, expect, it } from 'vitest'
import type { Psa } from '../../../src/connectors/psa.ts'
import { ApiError } from '../../../src/errors/errors.ts'
import type { Services } from '../../../src/gateway/context.ts'
import { type Api, describeApi } from '../../setup/api.ts'
import { testApp } from '../../setup/app.ts'
import { psaOfTenant } from '../../setup/psa.ts'
import { performRuns } from '../../setup/runs.ts'
import { installQueues } from '../agents/runnable.ts'
import { changeTerms, entriesOf, executionOf, NOTE, start } from '../executions/run/chain.ts'
import { decisions, openRequest, supervisedMsp } from './supervised.ts'

beforeAll(installQueues)

const lost = () => Promise.reject(new ApiError('upstream_unavailable', { details: { upstream: 'PSA' } }))

/** Services whose PSA makes a note, or does not, gives no answer, and cannot tell afterwards. */
async function losing(makes: boolean): Promise<Services> {
  const { services } = (await testApp()).app
  const { connectors } = services
  const psa = (ctx: Parameters<typeof connectors.psa>[0]): Psa => {
    const its = connectors.psa(ctx)
    return new Proxy(its, {
      get(_target, name: keyof Psa) {
        if (name === 'outcomeOf') return async () => 'UNKNOWN'
        if (name !== 'addNote') return its[name]
        return async (...given: Parameters<Psa['addNote']>) => {
          if (makes) await its.addNote(...given)
          return await lost()
        }
      },
    })
  }
  return { ...services, connectors: { ...connectors, psa } }
}

const asking = async (api: Api, makes: boolean) => {
  const msp = await supervisedMsp([NOTE])
  const where = { tenant_id: msp.tenant_id, ticket_id: '4711' }
  await msp.database.prisma.psaTicket.updateMany({ where, data: { url: 'https://psa.example/4711' } })
  const execution_id = await start(api, msp)
  await performRuns(msp, { services: await losing(makes) })
  expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'WAITING_FOR_INPUT' })
  const request = await openRequest(api, msp, execution_id)
  expect(request).toMatchObject({
    kind: 'QUESTION',
    tool_name: 'ticket.add_note',
    question:
      'Is this there? Add note (text: “We are on it.”, visibility: INTERNAL, ticket_id: 4711). It was tried, no answer came, and ' +
      'the PSA does not tell whether it has it. The ticket: https://psa.example/4711',
    options: [
      { id: 'made', label: 'It is there.' },
      { id: 'not_made', label: 'It is not there: do it again.' },
      { id: 'go_on', label: 'Go on without it.' },
    ],
  })
  const after = async (input: object) => {
    await decisions(api).answer(msp.admin, request.id, input)
    await performRuns(msp)
    return await executionOf(api, msp, execution_id)
  }
  return { msp, execution_id, after }
}

describeApi('a technician is asked whether a change was made', (api) => {
  it.concurrent('and it is not made again if it was', async () => {
    const { msp, after } = await asking(api, true)
    expect(await after({ option_id: 'made' })).toMatchObject({ status: 'COMPLETED', resolution: 'FULL' })
    expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
  })

  it.concurrent('and it is made if it was not', async () => {
    const { msp, after } = await asking(api, false)
    expect(await after({ option_id: 'not_made' })).toMatchObject({ status: 'COMPLETED', resolution: 'FULL' })
    expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
  })

  it.concurrent('and it is not made if the credits are used up meanwhile', async () => {
    const { msp, after } = await asking(api, false)
    await changeTerms(msp, { credits_included: 0, overage_allowed: false })
    const execution = await after({ option_id: 'not_made' })
    expect(execution).toMatchObject({ status: 'FAILED', failure_kind: 'LIMIT' })
    expect(await psaOfTenant(msp).notesOf('4711')).toEqual([])
    expect((await entriesOf(api, msp, execution.execution_id)).at(-1)).toMatchObject({
      outcome: 'SKIPPED',
      error_code: 'not_made',
    })
  })

  it.concurrent.each([
    [false, 'FAILED', 'FAILED'],
    [true, 'COMPLETED', 'SUCCEEDED'],
  ])(
    'and the work goes on without it; if it was made: %s, the PSA is asked once more',
    async (makes, status, end) => {
      const { msp, after } = await asking(api, makes)
      const execution = await after({ option_id: 'go_on' })
      expect(execution).toMatchObject({ status })
      expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(makes ? 1 : 0)
      expect((await entriesOf(api, msp, execution.execution_id)).at(-1)).toMatchObject({ outcome: end })
    },
  )

  it.concurrent.each([
    [true, 'SUCCEEDED', null],
    [false, 'SKIPPED', 'not_made'],
  ])(
    'and if the work is cancelled instead, and it was made: %s, the PSA says so',
    async (makes, end, code) => {
      const { msp, execution_id } = await asking(api, makes)
      await api.call(msp.key, 'cancel_execution', { execution_id })
      await performRuns(msp)
      expect((await entriesOf(api, msp, execution_id)).at(-1)).toMatchObject({
        outcome: end,
        error_code: code,
      })
      expect(await executionOf(api, msp, execution_id)).toMatchObject({
        status: 'CANCELLED',
        credits_consumed: makes ? 1 : 0,
      })
    },
  )
})
