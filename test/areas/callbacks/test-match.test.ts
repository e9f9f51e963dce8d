import { beforeAll, expect, it } from 'vitest'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

beforeAll(installQueues)

const selects = (...change_types: string[]) => ({ callback_settings: { change_types } })

/** Ticket 1, and agents that would be matched in every way. The USER created agent 1. */
async function manyAgents(): Promise<Msp> {
  const msp = await world()
  await addPsaTickets(msp, [{ ticket_id: '1', priority: 'Low', psa_company_id: 'c1' }])
  const rules = [{ field: 'priority', operator: 'equals', value: 'High' }]
  await addAgents(msp, [
    { id: 1, ...selects('TICKET_CREATED', 'TICKET_CLOSED'), created_by_user_id: msp.user.id },
    { id: 2, ...selects('TICKET_CLOSED') },
    { id: 3, ...selects('TICKET_CREATED'), ticket_conditions: { match: 'ALL', rules } },
    { id: 4, ...selects('TICKET_CREATED'), state: 'PAUSED' },
    { id: 5, ...selects('TICKET_CREATED') },
    { id: 6, ...selects('TICKET_CREATED'), state: 'ARCHIVED' },
    { id: 7, ...selects('TICKET_CREATED'), trigger_type: 'ON_DEMAND' },
    { id: 8, ...selects('TIME_ENTRY_CREATED'), entity_type: 'TIME_ENTRY' },
  ])
  await addExecutions(msp, [{ execution_id: 'live', agent_id: 5, entity_id: '1', status: 'RUNNING' }])
  return msp
}

describeApi('a test of matches', (api) => {
  const test = (caller: Caller, entity_id: string, change_types: string[]) =>
    api.call(caller, 'test_callback_match', { input: { entity_id, change_types } })

  it('says for each agent what would come of it, and starts nothing', async () => {
    const msp = await manyAgents()
    const { status, data } = await test(msp.viewer, '1', ['TICKET_CREATED'])
    expect([status, data.matches]).toEqual([200, []])
    const { data: all } = await test(msp.key, '1', ['TICKET_CREATED'])
    expect({ ...all, matches: null }).toEqual({
      entity_type: 'TICKET',
      entity_number: '#1',
      psa_company_id: 'c1',
      filter_reason: null,
      matches: null,
    })
    const failed = { field: 'priority', operator: 'equals', expected: 'High', actual: 'Low' }
    const match = (
      agent_id: number,
      result: string,
      reason_code: string | null,
      ...failed_conditions: object[]
    ) => ({
      agent_id,
      agent_name: `Agent ${agent_id}`,
      result,
      reason_code,
      failed_conditions,
      comparisons: failed_conditions.map((condition) => ({ ...condition, holds: false })),
      refusal: null,
    })
    expect(all.matches).toEqual([
      match(1, 'MATCHED', null),
      match(2, 'NOT_MATCHED', 'CHANGE_TYPE_NOT_SELECTED'),
      match(3, 'NOT_MATCHED', 'CONDITION_FAILED', failed),
      match(4, 'SKIPPED', 'AGENT_NOT_ACTIVE'),
      match(5, 'SKIPPED', 'RUN_ALREADY_LIVE'),
    ])
    const { execution, callback } = msp.database.prisma
    const where = { tenant_id: msp.tenant_id }
    expect([await execution.count({ where }), await callback.count({ where })]).toEqual([1, 0])
  })

  it('is of the agents that the caller sees', async () => {
    const msp = await manyAgents()
    const { data } = await test(msp.user, '1', ['TICKET_CLOSED'])
    expect(data.matches.map(({ agent_id }: { agent_id: number }) => agent_id)).toEqual([1])
    expect((await test(msp.viewer, '1', ['TICKET_CLOSED'])).data.filter_reason).toBe('CHANGE_TYPE_UNUSED')
  })

  it('refuses entities that the PSA does not have, and changes of both kinds', async () => {
    const msp = await manyAgents()
    const refused = async (entity_id: string, ...change_types: string[]) => {
      const { status, error } = await test(msp.key, entity_id, change_types)
      return [status, error?.code, error?.details.field_errors?.map(({ field, code }) => [field, code])]
    }
    const code = 'request_validation_failed'
    expect(await refused('2', 'TICKET_CREATED')).toEqual([422, code, [['entity_id', 'unknown']]])
    expect(await refused('1', 'TICKET_CREATED', 'TIME_ENTRY_CREATED')).toEqual([
      422,
      code,
      [['change_types', 'mixed']],
    ])
    expect((await test(msp.key, '1', [])).status).toBe(422)
  })
})
