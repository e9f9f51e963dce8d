/** The executions of the demo that are under way, whenever it is put in. */
import { expect, test } from 'vitest'
import { present } from '../../src/demo/executions.ts'
import { randomOf } from '../../src/demo/seeding.ts'

/** The executions under way after each of many histories. */
function* everyPresent() {
  const tenancy = { tenant_id: 'ten_demo', environment: 'dev' } as const
  const random = randomOf('any')
  for (let tickets = 100; tickets < 1100; tickets++)
    yield present({ tenancy, ago: () => new Date() }, tickets, random)
}

test('an agent has one under way on a ticket, however many tickets there were before', () => {
  for (const under_way of everyPresent()) {
    const places = under_way.map(({ agent_id, entity_id }) => `${agent_id} ${entity_id}`)
    expect(new Set(places).size).toBe(under_way.length)
  }
})

test('an execution that waits for an answer is never supervised, so that the answer leads to its end', () => {
  for (const under_way of everyPresent())
    for (const { status, supervised } of under_way)
      if (status === 'WAITING_FOR_INPUT') expect(supervised).toBe(false)
})
