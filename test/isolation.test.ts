import { describe, expect, it } from 'vitest'
import { type Answer, type Arguments, apis, published } from './setup/api.ts'
import { CATALOGUE_PATHS, ownRows, pathParameters, requiredArguments } from './setup/samples.ts'
import { world } from './setup/world.ts'

const { operations } = await published()
const [msp, stranger] = [await world(), await world()]
const ids = await ownRows(msp)

const byId = operations.filter((operation) => {
  const { path } = operation.rest
  return (
    pathParameters(operation).length > 0 && !CATALOGUE_PATHS.some((catalogue) => path.startsWith(catalogue))
  )
})
const lists = operations.filter(
  (operation) => operation.kind === 'query' && pathParameters(operation).length === 0,
)

/** The answer, but for the id in it, which is the one that was named. */
const told = ({ status, error }: Answer): unknown => ({
  status,
  error: error && { ...error, details: { ...error.details, id: typeof error.details.id } },
})

function naming(parameters: readonly string[], value: (name: string) => string, args: Arguments): Arguments {
  return { ...args, ...Object.fromEntries(parameters.map((name) => [name, value(name)])) }
}

describe.each(apis)('another tenant, through $name,', (api) => {
  it.each(byId.map((operation) => [operation.name, operation] as const))(
    'is told by %s of an id what it is told of no id',
    async (_name, operation) => {
      const parameters = pathParameters(operation)
      const missing = parameters.filter((name) => !(name in ids))
      expect(missing, 'test/setup/samples.ts makes no row for these').toEqual([])
      const args = requiredArguments(operation)
      const ask = (value: (name: string) => string) =>
        api.call(stranger.owner, operation.name, naming(parameters, value, args))
      const theirs = await ask((name) => ids[name] ?? '')
      expect(theirs.status).toBe(404)
      expect((await ask(() => 'nothing')).error?.details.id).toBe('nothing')
      const hostile = ['x'.repeat(500), '1e400', 'a\u0000b', '\ud800', '\uffff', ' ', '%00', '../x']
      for (const nothing of ['nothing', ...hostile]) {
        const answer = await ask(() => nothing)
        expect(told(answer), JSON.stringify(nothing)).toEqual(told(theirs))
        const shown = nothing.slice(0, 200).toWellFormed().replaceAll('\0', '\ufffd')
        expect(answer.error?.details.id).toBe(shown)
      }
    },
  )

  it.each(lists.map((operation) => [operation.name, operation] as const))(
    'finds nothing of the first by %s',
    async (_name, operation) => {
      const { data } = await api.call(stranger.owner, operation.name, requiredArguments(operation))
      const text = JSON.stringify(data ?? null)
      expect(text).not.toContain(msp.tenant_id)
      for (const id of Object.values(ids)) expect(text).not.toContain(id)
    },
  )
})
