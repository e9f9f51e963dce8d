import { beforeAll, describe, expect, it } from 'vitest'
import { apis } from '../../setup/api.ts'
import { TIMES, times } from '../../setup/at-once.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { installQueues } from '../agents/runnable.ts'
import { companies, inScope, type, using } from './companies.ts'

beforeAll(installQueues)

describe.runIf(process.env.DATABASE_URL).each(apis)(`${TIMES} at once through $name:`, (api) => {
  it('whatever is replaced and removed, no company that fits is left out of scope', async () => {
    const msp = await companies('d')
    const { read, replace, remove } = using(api, msp)
    const answers = await times((index) => (index % 3 === 2 ? remove() : replace([type(1 + (index % 3))])))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const { data } = await read()
    const [{ selected_options }] = data.filters
    const scope = await inScope(msp)
    for (const id of selected_options[0].id === 1 ? ['a', 'b'] : ['c']) expect(scope).toContain(id)
    expect(data.removable.companies.map(({ name }: { name: string }) => name.at(-1)).join('')).toBe(
      [...scope].filter((id) => !(selected_options[0].id === 1 ? 'ab' : 'c').includes(id)).join(''),
    )
  })

  it('one replacement with the tag that all have read', async () => {
    const msp = await companies('')
    const { read, replace } = using(api, msp)
    const { etag } = await read()
    const answers = await times((index) => replace([type(1 + (index % 3))], { 'if-match': etag ?? '' }))
    const outcomes = answers.map(({ status, error }) => error?.code ?? status)
    expect(outcomes.sort()).toEqual([200, ...Array(TIMES - 1).fill('version_conflict')])
  })

  it('a company is removed once', async () => {
    const msp = await companies('abcd')
    const { replace, remove } = using(api, msp)
    await replace([type(1)])
    const answers = await times(() => remove({ expected_count: 2 }))
    expect(answers.map(({ status, error }) => error?.code ?? status).sort()).toEqual([
      200,
      ...Array(TIMES - 1).fill('removable_changed'),
    ])
    expect((await activitiesOf(msp)).length).toBe(2)
  })
})
