/** JSON in requests and in answers is data: no key of it means anything to what carries it. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { type Api, apis } from '../setup/api.ts'
import { describeWithAndWithoutCache } from '../setup/document-cache.ts'
import { graphql } from '../setup/graphql.ts'
import { addTilRequests } from '../setup/til-requests.ts'
import { world } from '../setup/world.ts'

const RUNS = { numRuns: 20, endOnFailure: true }

/** Keys that programs take for instructions, and some that are names in GraphQL. */
const NAMES = ['then', 'catch', '__proto__', 'constructor', 'prototype', 'toJSON', 'valueOf', 'a']
const KEYS = [...NAMES, '$ref', '$schema', '']

type Keyed = Readonly<Record<string, unknown>>

const documents = (keys: readonly string[]): fc.Arbitrary<Keyed> =>
  fc.letrec<{ value: unknown; object: Keyed }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium', maxDepth: 4 },
      fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom(...keys, 'ü', '')),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc
      .array(fc.tuple(fc.constantFrom(...keys), tie('value')), { minLength: 1, maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
  })).object

/** The JSON text, with its keys in order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/** The value as a literal of GraphQL; its keys are names. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(' ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, inner]) => `${name}: ${literal(inner)}`)
    .join(' ')}}`
}

const bodyWith = (value: unknown, parameters: unknown) => ({
  name: 'Triage',
  autonomy_type: 'AGENTIC',
  trigger_type: 'TRIGGERED',
  entity_type: 'TICKET',
  agent_settings: {},
  actions: [{ type: 'device.run_script', params: { device_id: '1', script_id: '2', parameters } }],
  ticket_conditions: { rules: [{ field: 'board', operator: 'is_empty', value }] },
})

/** The parameters of a script are texts. */
const parametersOf = (value: Keyed) =>
  Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, JSON.stringify(inner)]))

describeWithAndWithoutCache('JSON with keys that mean something to programs', () => {
  it('is read as it is stored, through both interfaces', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await addExecutions(msp, [{ execution_id: 'exe', agent_id: 1 }])
    const { prisma } = msp.database
    const set =
      'update til_request set arguments = $1::jsonb, edited_arguments = $1::jsonb where tenant_id = $2'
    await addTilRequests(msp, [{ id: 'til', agent_id: 1, execution_id: 'exe' }])
    await fc.assert(
      fc.asyncProperty(documents(KEYS), async (value) => {
        await prisma.$executeRawUnsafe(set, JSON.stringify(value), msp.tenant_id)
        for (const api of apis) {
          const { data: one } = await api.call(msp.key, 'til_request', { til_request_id: 'til' })
          const { data: list } = await api.call(msp.key, 'til_requests')
          const read = [one.arguments, one.edited_arguments, list[0].arguments]
          expect(read.map(canonical)).toEqual(Array(3).fill(canonical(value)))
        }
      }),
      RUNS,
    )
  })

  it.each(apis)('is stored as it is sent ($name)', async (api: Api) => {
    const msp = await world()
    await fc.assert(
      fc.asyncProperty(documents(KEYS), async (value) => {
        const parameters = parametersOf(value)
        const made = await api.call(msp.key, 'create_agent', { input: bodyWith(value, parameters) })
        expect([made.status, made.error]).toEqual([200, null])
        for (const reader of apis) {
          const { data } = await reader.call(msp.key, 'agent', { agent_id: made.data.id })
          expect(canonical(data.ticket_conditions.rules[0].value)).toBe(canonical(value))
          expect(canonical(data.actions[0].params.parameters)).toBe(canonical(parameters))
        }
      }),
      RUNS,
    )
  })

  it('is stored as it is written in a document', async () => {
    const msp = await world()
    await fc.assert(
      fc.asyncProperty(documents(NAMES), async (value) => {
        const { autonomy_type, trigger_type, entity_type, ...body } = bodyWith(value, parametersOf(value))
        const kinds = `autonomy_type: ${autonomy_type} trigger_type: ${trigger_type} entity_type: ${entity_type}`
        const input = `{${kinds} ${literal(body).slice(1)}`
        const { data } = await graphql(
          msp.key,
          `mutation { create_agent(input: ${input}) { ticket_conditions } }`,
        )
        expect(canonical(data.create_agent.ticket_conditions.rules[0].value)).toBe(canonical(value))
      }),
      RUNS,
    )
  })
})

describeWithAndWithoutCache('fields under names that mean something to programs', () => {
  it.each(NAMES)('are answered under %s', async (name) => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const query = `{ ${name}: agents { ${name}: items { ${name}: id } } }`
    for (let time = 0; time < 6; time++) {
      const { data } = await graphql(msp.key, query)
      expect(canonical(data)).toBe(canonical(JSON.parse(`{"${name}":{"${name}":[{"${name}":1}]}}`)))
    }
  })
})
