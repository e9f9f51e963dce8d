/** The promises of every write of every port, by which adapters are tried. */
import { expect, it } from 'vitest'
import { type Outcomes, type PortDescription, PortRefusal } from '../../src/connectors/port.ts'

type Write<Port> = (port: Port, key: string) => Promise<unknown>

interface Fixture<Port> {
  port: Port
  /** The number of writes that were made. */
  made: () => Promise<number>
}

/** Tests of each write: it happens once for its key, also at once, and its outcome is known. */
export function describeWrites<Port extends Outcomes>(
  { calls }: PortDescription<Port>,
  writes: Partial<Record<keyof Port, Write<Port>>>,
  setUp: () => Promise<Fixture<Port>>,
): void {
  const each = Object.entries(writes) as [keyof Port & string, Write<Port>][]

  it('is tried here, whichever it is', () => {
    const declared = (Object.keys(calls) as (keyof Port & string)[]).filter((name) => calls[name] === 'WRITE')
    expect(each.map(([name]) => name).sort()).toEqual(declared.sort())
  })

  it.each(each)('%s happens once for its key, and its outcome is known', async (_name, write) => {
    const { port, made } = await setUp()
    expect(await port.outcomeOf('k')).toBe('NOT_MADE')
    const first = await write(port, 'k')
    expect(await port.outcomeOf('k')).toBe('MADE')
    expect(await write(port, 'k')).toEqual(first)
    expect(await made()).toBe(1)
  })

  it.runIf(process.env.DATABASE_URL).each(each)(
    '%s that comes ten times at once with one key happens once, and answers all the same',
    async (_name, write) => {
      const { port, made } = await setUp()
      const answers = await Promise.all(Array.from({ length: 10 }, () => write(port, 'k')))
      for (const answer of answers) expect(answer).toEqual(answers[0])
      expect(await made()).toBe(1)
    },
  )
}

type Refusals<Port> = readonly [reason: string, refused: Write<Port>][]

/** The writes are refused for these reasons, and nothing is written. */
export async function expectRefusals<Port extends Outcomes>(
  { port, made }: Fixture<Port>,
  refusals: Refusals<Port>,
): Promise<void> {
  for (const [reason, refused] of refusals) {
    const error = await refused(port, 'k').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PortRefusal)
    expect(error).toMatchObject({ reason })
    expect(await port.outcomeOf('k')).toBe('NOT_MADE')
  }
  expect(await made()).toBe(0)
}
