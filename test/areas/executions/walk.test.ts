import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addAgents, addExecutions, share } from '../../setup/agents.ts'
import { describeApi, walk } from '../../setup/api.ts'
import { byteOrder } from '../../setup/companies.ts'
import { world } from '../../setup/world.ts'
import { at, ids, list } from './runs.ts'

describeApi('executions', (api) => {
  it('are all visited once, in order, by walking pages of any size with any filters, as any caller', async () => {
    const msp = await world()
    const { prisma } = msp.database
    await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }, { id: 3 }])
    await share(msp, 2, msp.user.id)
    const text = fc.option(
      fc.string({ unit: fc.constantFrom(...'aAéÉЯ日%_\\ 0'), minLength: 1, maxLength: 3 }),
    )
    const status = fc.constantFrom('SKIPPED' as const, 'COMPLETED' as const, 'FAILED' as const)
    const execution = fc.record({
      execution_id: fc.string({ unit: fc.constantFrom(...'aAéЯ1%'), minLength: 1, maxLength: 3 }),
      agent_id: fc.integer({ min: 1, max: 3 }),
      status,
      entity_id: fc.option(fc.constantFrom('1', '2')),
      supervised: fc.boolean(),
      resolution: fc.constantFrom('NONE' as const, 'FULL' as const),
      entity_number: text,
      message_for_dashboard: text,
      trigger: fc.constantFrom('TRIGGERED' as const, 'RETRY' as const),
      hour: fc.integer({ min: 0, max: 4 }),
      updated: fc.integer({ min: 4, max: 7 }),
    })
    const executions = fc.uniqueArray(execution, {
      selector: ({ execution_id }) => execution_id,
      maxLength: 25,
    })
    const hour = fc.integer({ min: 0, max: 5 })
    const filters = fc
      .record(
        {
          agent_id: fc.integer({ min: 1, max: 4 }),
          status: fc.array(status, { minLength: 1, maxLength: 3 }),
          entity_id: fc.constantFrom('1', '2', '3'),
          supervised: fc.boolean(),
          resolution: fc.constantFrom('NONE', 'FULL', 'PARTIAL'),
          from: hour,
          to: hour,
          trigger: fc.constantFrom('TRIGGERED', 'RETRY', 'SCHEDULED'),
          updated_since: fc.integer({ min: 4, max: 8 }),
          search: fc.constantFrom('a', 'É', '%', '_', '\\', '日', '0'),
          page_size: fc.integer({ min: 1, max: 9 }),
        },
        { requiredKeys: ['page_size'] },
      )
      .filter(({ from, to }) => from === undefined || to === undefined || from < to)
    await fc.assert(
      fc.asyncProperty(executions, filters, fc.boolean(), async (given, args, restricted) => {
        await prisma.execution.deleteMany({ where: { tenant_id: msp.tenant_id } })
        await addExecutions(
          msp,
          given.map(({ hour, updated, ...row }) => ({
            ...row,
            created_at: at(hour),
            updated_at: at(updated),
          })),
        )
        const { agent_id, entity_id, supervised, resolution, from, to, search, page_size } = args
        const { trigger, updated_since } = args
        const expected = given
          .filter((row) => !restricted || row.agent_id !== 3)
          .filter((row) => !agent_id || row.agent_id === agent_id)
          .filter((row) => !args.status || args.status.includes(row.status))
          .filter((row) => !entity_id || row.entity_id === entity_id)
          .filter((row) => supervised === undefined || row.supervised === supervised)
          .filter((row) => !resolution || row.resolution === resolution)
          .filter((row) => from === undefined || row.hour >= from)
          .filter((row) => to === undefined || row.hour < to)
          .filter((row) => !trigger || row.trigger === trigger)
          .filter((row) => updated_since === undefined || row.updated >= updated_since)
          .filter(({ entity_number, entity_id: id, message_for_dashboard }) =>
            [entity_number, id, message_for_dashboard].some(
              (value) => !search || value?.toLowerCase().includes(search.toLowerCase()),
            ),
          )
          .sort((a, b) => b.hour - a.hour || byteOrder(b.execution_id, a.execution_id))
          .map(({ execution_id }) => execution_id)
        const asked = {
          ...args,
          from: from === undefined ? undefined : at(from).toISOString(),
          to: to === undefined ? undefined : at(to).toISOString(),
          updated_since: updated_since === undefined ? undefined : at(updated_since).toISOString(),
        }
        const caller = restricted ? msp.user : msp.key
        const pages = await walk((cursor) => list(api, caller, { ...asked, ...cursor }))
        expect(pages.flatMap(ids)).toEqual(expected)
        expect(pages.slice(0, -1).every(({ data }) => data.length === page_size)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})
