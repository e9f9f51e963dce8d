/** A mutation holds no connection while another system takes its time. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { localPsa } from '../../src/connectors/local/psa.ts'
import { PortUnavailable } from '../../src/connectors/port.ts'
import type { Psa, PsaConnector } from '../../src/connectors/psa.ts'
import { executionsOf, installQueues, runnableMsp } from '../areas/agents/runnable.ts'
import { technicians } from '../areas/tenant/technicians.ts'
import { addExecutions } from '../setup/agents.ts'
import { clock, type Running, startApp } from '../setup/app.ts'
import { testDatabase } from '../setup/database.ts'
import { json } from '../setup/http.ts'
import { addPsaTickets } from '../setup/psa.ts'
import type { Msp } from '../setup/world.ts'

const running: Running[] = []
beforeAll(installQueues)
afterAll(async () => {
  for (const { app } of running) await app.close(0)
})

/** The service with a PSA that is another system, whose tickets are read by `ticket`. */
async function serviceWith(ticket: (id: string, local: Psa) => ReturnType<Psa['ticket']>) {
  const asked: string[] = []
  const psa: PsaConnector = (ctx) => {
    const local = localPsa(ctx)
    return {
      ...local,
      ticket(id) {
        expect(ctx.transaction).toBeNull()
        asked.push(id)
        return ticket(id, local)
      },
    }
  }
  const started = await startApp(await testDatabase(), {}, undefined, { connectors: { psa } })
  running.push(started)
  return { asked, base: started.base }
}

const MUTATION =
  'mutation ($agent_id: Int!, $input: RunNowRequest) { run_agent_now(agent_id: $agent_id, input: $input) { execution_id } }'

/** Runs an agent through each interface, with an `Idempotency-Key` and without. */
const ways = (['rest', 'graphql'] as const).flatMap((name) => [false, true].map((keyed) => ({ name, keyed })))
type Way = (typeof ways)[number]

let keys = 0

async function run(base: string, msp: Msp, { name, keyed }: Way, agent_id: number, input: object) {
  const headers = {
    authorization: `Bearer ${msp.key.token}`,
    ...(keyed && { 'idempotency-key': `key-${++keys}` }),
  }
  const [path, body] =
    name === 'rest'
      ? [`/public-api/agents/${agent_id}/run-now`, input]
      : ['/graphql', { query: MUTATION, variables: { agent_id, input } }]
  const response = await fetch(`${base}${path}`, json(body, { method: 'POST', headers }))
  const { data, error, errors, meta, extensions } = await response.json()
  return {
    execution_id: name === 'rest' ? data?.execution_id : data?.run_agent_now?.execution_id,
    code: name === 'rest' ? error?.code : errors?.[0].extensions.code,
    warnings: (name === 'rest' ? meta.warnings : extensions.warnings) ?? [],
  }
}

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

it.each(ways)('others are answered meanwhile ($name, keyed: $keyed)', async (way) => {
  const msp = await runnableMsp()
  await addPsaTickets(
    msp,
    IDS.map((ticket_id) => ({ ticket_id })),
  )
  const all = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const { asked, base } = await serviceWith(async (id, local) => {
    if (asked.length === IDS.length) all.resolve()
    await answer.promise
    return await local.ticket(id)
  })
  const runs = IDS.map((entity_id) => run(base, msp, way, 1, { entity_id }))
  await all.promise
  const headers = { authorization: `Bearer ${msp.key.token}` }
  for (let other = 0; other < 5; other++)
    expect((await fetch(`${base}/public-api/settings`, { headers })).status).toBe(200)
  answer.resolve()
  const ids = (await Promise.all(runs)).map(({ execution_id }) => execution_id)
  const stored = await executionsOf(msp)
  expect(ids.toSorted()).toEqual(stored.map(({ execution_id }) => execution_id).sort())
  expect(stored.map(({ entity_id }) => entity_id).sort()).toEqual(IDS)
  expect(asked.toSorted()).toEqual(IDS)
})

it.each(ways)('what was checked before is checked again ($name, keyed: $keyed)', async (way) => {
  const msp = await runnableMsp()
  const where = { tenant_id: msp.tenant_id, id: 1 }
  const { base } = await serviceWith(async (id, local) => {
    await msp.database.prisma.agent.updateMany({ where, data: { state: 'PAUSED' } })
    return await local.ticket(id)
  })
  expect((await run(base, msp, way, 1, { entity_id: '4711' })).code).toBe('agent_not_active')
  expect(await executionsOf(msp)).toEqual([])
})

it.each(ways)('a PSA that is out of reach is the last refusal ($name, keyed: $keyed)', async (way) => {
  const msp = await runnableMsp()
  const { asked, base } = await serviceWith(async () => {
    throw new PortUnavailable('down')
  })
  expect((await run(base, msp, way, 1, {})).code).toBe('entity_required')
  expect((await run(base, msp, way, 99, { entity_id: '4711' })).code).toBe('agent_not_found')
  await addExecutions(msp, [
    { execution_id: 'live', agent_id: 1, status: 'RUNNING', entity_id: '4712', created_at: clock.now() },
  ])
  expect((await run(base, msp, way, 1, { entity_id: '4712' })).execution_id).toBe('live')
  expect(asked).toEqual([])
  expect((await run(base, msp, way, 1, { entity_id: '4711' })).code).toBe('upstream_unavailable')
  expect(asked).toEqual(['4711'])
})

it.each(ways)('each warning is there once ($name, keyed: $keyed)', async (way) => {
  const msp = await runnableMsp()
  const { base } = await serviceWith((id, local) => local.ticket(id))
  const input = { entity_id: '4711', supervisor_technician_ids: await technicians(msp, 1) }
  const unknown = way.name === 'rest' ? { colour: 'red' } : {}
  const { warnings } = await run(base, msp, way, 1, { ...input, ...unknown })
  const ignored = [...Object.keys(unknown), 'supervisor_technician_ids']
  expect(warnings).toEqual(ignored.map((name) => `ignored_field: ${name}`))
})
