/** Single reads, those through Prisma among them, cost the same however often they were asked: compiled or not. */
import { expect, test } from 'vitest'
import { apis, isForCallers, published } from '../setup/api.ts'
import { requiredArguments } from '../setup/samples.ts'
import { countStatements } from '../setup/statements.ts'
import { ownRows } from '../setup/suites/own-rows.ts'
import { world } from '../setup/world.ts'

const { operations } = await published()
const singleReads = operations.filter(
  (operation) => operation.kind === 'query' && operation.rest.path.includes('{') && isForCallers(operation),
)

const NAMES: Record<string, string> = {
  '/integrations/{name}': 'hudu',
  '/permission-groups/{name}': 'TICKETS',
}

const msp = await world()
const { ids } = await ownRows(msp)

/** Documents are compiled at their fourth run. */
const RUNS = 6

test.each(
  apis.flatMap((api) => singleReads.map((operation) => [operation.name, api.name, operation, api] as const)),
)(
  '%s by %s takes as many statements at its sixth run as at its first',
  async (name, _api, operation, api) => {
    const named = NAMES[operation.rest.path]
    const own = Object.fromEntries(
      Object.entries(ids).filter(([id]) => operation.rest.path.includes(`{${id}}`)),
    )
    const args = { ...requiredArguments(operation), ...own, ...(named && { name: named }) }
    const counts: number[] = []
    for (let run = 0; run < RUNS; run++)
      counts.push(await countStatements(msp.database, async () => await api.call(msp.admin, name, args)))
    const [first] = counts
    expect(first).toBeGreaterThan(0)
    expect(counts).toEqual(counts.map(() => first))
  },
)
