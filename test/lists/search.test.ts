/** `search`: the same text in any letter case, at a cost that does not grow with what is searched for. */
import { beforeAll, describe, expect, it } from 'vitest'
import { apis } from '../setup/api.ts'
import { testApp } from '../setup/app.ts'
import { fastest } from '../setup/fastest.ts'
import { addMemories } from '../setup/memories.ts'
import { statementsOf } from '../setup/statements.ts'
import { SAMPLERS } from '../setup/suites/areas.ts'
import { type Msp, world } from '../setup/world.ts'

const [rest] = apis.filter(({ name }) => name === 'rest')

let msp: Msp

beforeAll(async () => {
  await testApp()
  msp = await world()
})

async function found(search: string): Promise<string[]> {
  const answer = await rest?.call(msp.owner, 'memories', { search, page_size: 200 })
  return answer?.data.map(({ id }: { id: string }) => id) ?? []
}

const CONTENT = 'Ärger mit dem DRUCKER im Büro (2. Stock): 100 %_\\ sicher ist nur $1.*[a-z]{3}+^|ΩΜΕΓΑ'

describe('long text', () => {
  beforeAll(() =>
    addMemories(msp, [
      { id: 'mem_long', content: CONTENT },
      { id: 'mem_other', content: CONTENT.replaceAll(/[^a-z]/gi, '-') },
    ]),
  )

  it.each([
    ['ärger MIT dem drucker IM BÜRO', true],
    ['(2. stock): 100 %_\\ SICHER', true],
    ['nur $1.*[A-Z]{3}+^|ωμεγα', true],
    ['ärger mit dem drucker_im büro', false],
    ['ärger.*drucker im büro (2', false],
    ['nur $1.*[a-z]{3}+^|ωμεγα!', false],
  ])('%j is found as it stands, in any letter case: %s', async (search, is_there) => {
    expect(search.length).toBeGreaterThan(16)
    expect(await found(search)).toEqual(is_there ? ['mem_long'] : [])
  })
})

/** Lists that are not read from the database. */
const LIVE = ['integrations', 'rmm_devices']

const SEARCHED = Object.keys(SAMPLERS).filter(
  (list) => !LIVE.includes(list) && SAMPLERS[list]?.filters.search,
)

it.each(SEARCHED)('%s finds long text by an automaton', async (list) => {
  const args = { ...SAMPLERS[list]?.required, search: 'x'.repeat(200) }
  const sent = await statementsOf(msp.database, async () => rest?.call(msp.owner, list, args))
  expect(sent.filter(({ text }) => text.includes(`~ ('***=' || lower(`))).not.toEqual([])
  expect(sent.filter(({ text }) => /\bi?like\b/.test(text))).toEqual([])
})

it('costs no more for long text, however alike the texts are', async () => {
  const alike = Array.from({ length: 400 }, (_, n) => ({ id: `mem_${n}`, content: 'a'.repeat(4000) }))
  await addMemories(msp, alike)
  const cost = (length: number, first = '') =>
    fastest(async () => expect(await found(`${first}${'a'.repeat(length - 1)}b`)).toEqual([]))
  const short = await cost(16)
  // Compared character by character it would be ten times as much.
  for (const first of ['', 'b']) expect(await cost(199, first)).toBeLessThan(4 * short)
})
