/** The order of timelines, which processes write whose clocks differ. */
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { recordEvents } from '../../../../src/areas/executions/index.ts'
import { Stopwatch } from '../../../../src/lib/stopwatch.ts'
import { addAgents, addExecutions } from '../../../setup/agents.ts'
import { days, type Msp, world } from '../../../setup/world.ts'

const START = new Date('2026-03-01T12:00:00.000Z')
const after = (ms: number) => new Date(START.getTime() + ms)

async function withExecution(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  await addExecutions(msp, [{ execution_id: 'e', agent_id: 1 }])
  return msp
}

const recordAt = ({ tenant_id, environment, database }: Msp, now: Date, ...texts: string[]) =>
  recordEvents(
    {
      viewer: { tenant_id, environment },
      services: { database },
      transaction: null,
      db_time: new Stopwatch(),
      now,
    },
    { execution_id: 'e', temporal_run_id: 'r' },
    texts.map((text) => ({ kind: 'MESSAGE', text })),
  )

const shown = async ({ tenant_id, database }: Msp) =>
  (await database.prisma.timelineEvent.findMany({ where: { tenant_id }, orderBy: { sequence: 'asc' } })).map(
    ({ text, at }) => [text, at],
  )

it('events are in the order in which they were written, and in that of their times', async () => {
  const msp = await withExecution()
  await recordAt(msp, START, 'first')
  await recordAt(msp, after(-days(4)), 'second', 'third')
  await recordAt(msp, after(-1), 'fourth')
  await recordAt(msp, after(5), 'fifth')
  expect(await shown(msp)).toEqual([
    ['first', START],
    ['second', START],
    ['third', START],
    ['fourth', START],
    ['fifth', after(5)],
  ])
})

it('events that earlier releases stored with earlier times are put in order', async () => {
  const msp = await withExecution()
  const { tenant_id, environment, database } = msp
  await database.prisma.timelineEvent.createMany({
    data: [0, 7, -days(4), 3, 9].map((ms, index) => ({
      tenant_id,
      environment,
      execution_id: 'e',
      temporal_run_id: 'r',
      kind: 'MESSAGE' as const,
      id: `evt_${index}`,
      sequence: index + 1,
      at: after(ms),
      text: String(index),
    })),
  })
  const script = 'prisma/migrations/20261123023900_timelines_are_in_order/migration.sql'
  await database.prisma.$executeRawUnsafe(await readFile(script, 'utf8'))
  expect((await shown(msp)).map(([, at]) => at)).toEqual([0, 7, 7, 7, 9].map(after))
})
