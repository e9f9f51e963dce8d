/** The rows of the double, by entity and id. */
import type { Row } from './query.ts'

interface Generated {
  count: number
  make: (index: number) => Row
}

export function createStore() {
  const rows = new Map<string, Map<number, Row>>()
  const generated = new Map<string, Generated>()
  /** Rows that queries do not show before so many requests. */
  const hidden = new Map<Row, number>()
  let requests = 0
  let lag = 0
  let made = 100_000

  const of = (entity: string): Map<number, Row> => {
    const known = rows.get(entity) ?? new Map<number, Row>()
    rows.set(entity, known)
    return known
  }

  function put(entity: string, row: Row): void {
    of(entity).set(Number(row.id), row)
  }

  /** Every row, by id. Generated ones come last. */
  function* all(entity: string): Generator<Row> {
    yield* [...of(entity).values()].sort((one, other) => Number(one.id) - Number(other.id))
    const { count, make } = generated.get(entity) ?? { count: 0, make: () => ({}) }
    for (let index = 0; index < count; index++) yield make(index)
  }

  return {
    rowsOf: (entity: string): Row[] => [...all(entity)],
    get: (entity: string, id: number): Row | undefined => of(entity).get(id),
    /** Adds rows as they are. */
    add(entity: string, added: readonly Row[]): void {
      for (const row of added) put(entity, row)
    },
    /** Adds a row that a request makes. */
    make(entity: string, row: Row): number {
      const id = made++
      const stored = { ...row, id }
      put(entity, stored)
      if (lag > 0) hidden.set(stored, requests + lag)
      return id
    },
    remove: (entity: string, id: number): boolean => of(entity).delete(id),
    /** Rows that are made when they are read. Their ids come after those of all others, in order. */
    generate(entity: string, count: number, make: Generated['make']): void {
      generated.set(entity, { count, make })
    },
    /** The rows that queries see. */
    *listed(entity: string): Generator<Row> {
      for (const row of all(entity)) if ((hidden.get(row) ?? 0) <= requests) yield row
    },
    /** New rows are seen by queries so many requests later. By their id they are there at once. */
    delay(count: number): void {
      lag = count
    },
    tick(): void {
      requests++
    },
  }
}

export type Store = ReturnType<typeof createStore>
