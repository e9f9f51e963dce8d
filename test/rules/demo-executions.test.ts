/** The executions of the demo that are under way, whenever it is put in. */
import { expect, test } from 'vitest'
import { present } from '../../src/demo/executions.ts'
import { randomOf } from '../../src/demo/seeding.ts'

test('an agent has one under way on a ticket, however many tickets there were before', () => {
  const tenancy = { tenant_id: 'ten_demo', environment: 'dev' } as const
  const random = randomOf('any')
  for (let tickets = 100; tickets < 1100; tickets++) {
    const under_way = present({ tenancy, ago: () => new Date() }, tickets, random)
    const places = under_way.map(({ agent_id, entity_id }) => `${agent_id} ${entity_id}`)
    expect(new Set(places).size).toBe(under_way.length)
  }
})
