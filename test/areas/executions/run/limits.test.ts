import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { addExecutions } from '../../../setup/agents.ts'
import { apis, describeApi } from '../../../setup/api.ts'
import { clock, testApp } from '../../../setup/app.ts'
import { psaOfTenant } from '../../../setup/psa.ts'
import { performRuns } from '../../../setup/runs.ts'
import { installQueues } from '../../agents/runnable.ts'
import { chainMsp, changeTerms, executionOf, NOTE, STATUS, start } from './chain.ts'

beforeAll(installQueues)

const [api] = apis as [(typeof apis)[number]]

describeApi('a run', (api) => {
  it.each([
    [[NOTE, NOTE, NOTE], { max_tool_calls: 2 }, 'LIMIT', 'max_tool_calls', 2],
    [
      [{ type: 'ticket.set_status', params: { status: 'Nowhere' } }, NOTE],
      {},
      'AGENT',
      'status_not_found',
      0,
    ],
    [[{ type: 'ticket.add_note', params: { text: 'x' } }], {}, 'AGENT', 'arguments_invalid', 0],
    [[{ type: 'no.such', params: {} }], {}, 'AGENT', 'tool_not_granted', 0],
  ])(
    'with the actions %j and the settings %j ends as it must',
    async (actions, settings, kind, code, notes) => {
      const msp = await chainMsp(actions, { agent_settings: settings as never })
      const execution_id = await start(api, msp)
      await performRuns(msp)
      const execution = await executionOf(api, msp, execution_id)
      expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(notes)
      if (code === 'tool_not_granted')
        expect(execution).toMatchObject({ status: 'COMPLETED', resolution: 'NONE', hours_saved: 0 })
      else expect(execution).toMatchObject({ status: 'FAILED', failure_kind: kind, hours_saved: 0 })
      if (code !== 'tool_not_granted') expect(execution.error).toMatch(new RegExp(`^${code}: `))
    },
  )

  it('stops if the credits are used up, and keeps what it did', async () => {
    const msp = await chainMsp([NOTE, STATUS])
    await changeTerms(msp, { credits_included: 1, overage_allowed: false })
    const execution_id = await start(api, msp)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({
      status: 'FAILED',
      failure_kind: 'LIMIT',
      credits_consumed: 1,
      run_count: 1,
    })
    expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
    expect(await psaOfTenant(msp).ticket('4711')).toMatchObject({ status: 'New' })
  })

  it('makes no call while the subscription is paused', async () => {
    const msp = await chainMsp([NOTE])
    const execution_id = await start(api, msp)
    await changeTerms(msp, { status: 'PAUSED' })
    await performRuns(msp)
    const { status, failure_kind, error } = await executionOf(api, msp, execution_id)
    expect([status, failure_kind]).toEqual(['FAILED', 'LIMIT'])
    expect(error).toMatch(/^subscription_inactive: /)
    expect(await psaOfTenant(msp).notesOf('4711')).toEqual([])
  })
})

it.each(['TRIGGERED', 'SCHEDULED'] as const)(
  'an execution that was %s is skipped if its ticket no longer meets the conditions',
  async (trigger) => {
    const ticket_conditions = { match: 'ALL', rules: [{ field: 'status', operator: 'EQUALS', value: 'New' }] }
    const msp = await chainMsp([NOTE], { ticket_conditions })
    const execution_id = await start(api, msp)
    await msp.database.prisma.execution.updateMany({ where: { execution_id }, data: { trigger } })
    await psaOfTenant(msp).updateTicket('4711', { status: 'Closed' }, 'closed')
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'SKIPPED', run_count: 0 })
    expect(await psaOfTenant(msp).notesOf('4711')).toEqual([])
  },
)

it('the history of another engine is not taken up', async () => {
  const msp = await chainMsp([NOTE])
  await addExecutions(msp, [{ execution_id: 'old', agent_id: 1, entity_id: '4711', status: 'RUNNING' }])
  const { data } = await api.call(msp.key, 'run_agent_now', { agent_id: 1, input: { entity_id: '4711' } })
  expect([data.execution_id, await performRuns(msp)]).toEqual(['old', 0])
})

it.each([
  ['had not made it', false, 'TIMED_OUT', 'max_minutes', 1],
  ['had made it', true, 'SUCCEEDED', null, 2],
])(
  'stops a tool that does not answer when its time is over, and asks the PSA, which %s',
  async (_what, makes, outcome, error_code, credits_consumed) => {
    onTestFinished(() => clock.reset())
    const msp = await chainMsp([NOTE, STATUS, NOTE], { agent_settings: { max_minutes: 1 } })
    const execution_id = await start(api, msp)
    const { services } = (await testApp()).app
    const made = Promise.withResolvers<void>()
    const psa: typeof services.connectors.psa = (ctx) => {
      const real = services.connectors.psa(ctx)
      return {
        ...real,
        addNote: async () => {
          // The next call begins when a tenth of a second is left of the minute.
          const run = await msp.database.prisma.executionRun.findFirstOrThrow({ where: { execution_id } })
          clock.frozen_at = new Date(run.started_at.getTime() + 59_900)
          return { note_id: 'made' } as never
        },
        updateTicket: async (...args) => {
          if (makes) await real.updateTicket(...args)
          made.resolve()
          return await new Promise(() => {})
        },
        outcomeOf: async (...asked) => {
          await made.promise
          return await real.outcomeOf(...asked)
        },
      }
    }
    await performRuns(msp, { services: { ...services, connectors: { ...services.connectors, psa } } })
    const execution = await executionOf(api, msp, execution_id)
    expect(execution).toMatchObject({ status: 'TIMED_OUT', failure_kind: 'LIMIT', credits_consumed })
    expect(execution.error).toMatch(/^max_minutes: /)
    const calls = await api.call(msp.key, 'execution_tool_calls', { execution_id })
    expect(calls.data).toMatchObject([
      { tool_name: 'ticket.set_status', outcome, error_code },
      { tool_name: 'ticket.add_note', outcome: 'SUCCEEDED' },
    ])
  },
)
