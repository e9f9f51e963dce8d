/** Rows of one tenant by which they can be told from those of others, for generated suites. */
import { ENVIRONMENT } from '../app.ts'
import type { Msp } from '../world.ts'
import { AREAS } from './areas.ts'
import type { Ids, Own, OwnRows } from './own.ts'

let made = 0

/**
 * One row of everything that operations answer from. With `same` their ids are those that every other caller of `same`
 * gets; otherwise nobody else has them.
 */
export async function ownRows(
  msp: Msp,
  { environment = ENVIRONMENT, same = false }: { environment?: string; same?: boolean } = {},
): Promise<OwnRows> {
  const there = { ...msp, environment }
  const number = 1_500_000_000 + ++made
  const mark = `${msp.tenant_id}-${environment}-${same ? 'same' : 'own'}`
  const id = same ? 'isolated' : mark
  const added = new Map<string, Promise<Ids>>()

  /** The ids of the area's rows, which are added once; `before` are the areas that wait for them. */
  function idsOf(area: string, before: readonly string[] = []): Promise<Ids> {
    if (!AREAS[area]) throw new Error(`No area ${area} has suites`)
    if (before.includes(area)) throw new Error(`Own rows need each other: ${[...before, area].join(', ')}`)
    const own: Own = {
      id,
      mark,
      number,
      id_number: same ? 1_400_000_000 : number,
      of: (needed) => idsOf(needed, [...before, area]),
    }
    const ids = added.get(area) ?? AREAS[area]?.own_rows?.(there, own) ?? Promise.resolve({})
    added.set(area, ids)
    return ids
  }

  const ids: Ids = {}
  for (const area of Object.keys(AREAS)) Object.assign(ids, await idsOf(area))
  return { mark, number, ids, psa_company_id: `psa_${id}` }
}
