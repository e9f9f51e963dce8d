/** The items of long lists of input. */
import type { GraphQLArgument } from 'graphql'
import { expect, it } from 'vitest'
import { checkArguments, checkArgumentsInSlices } from '../../src/schema/calls/input.ts'
import { builtSchemas } from '../setup/app.ts'

const { operations } = builtSchemas()
const args: readonly GraphQLArgument[] = operations
  .filter(({ name }) => name === 'put_integration_customers')
  .flatMap(({ field }) => field.args)
const locate = () => 'body' as const

const ITEM = { external_id: 'a', name: 'Acme', unknown: 1 }
const DEVICES = Array.from({ length: 300 }, (_, index) => `device ${index}`)

it.each<[list: string, customers: readonly unknown[], later: number]>([
  ['no item', [], 0],
  ['as many items as are checked at once', Array(100).fill(ITEM), 0],
  ['one item more', Array(101).fill(ITEM), 101],
  ['a long list in an item', [{ ...ITEM, asset_names: DEVICES }], 300],
  ['a long list in each item of a long list', Array(101).fill({ ...ITEM, asset_names: DEVICES }), 101 * 301],
  ['items with problems', [...Array(200).fill(ITEM), null, { name: 1 }, { external_id: '' }, 'x'], 204],
  ['problems in a long list of an item', [{ ...ITEM, asset_names: [...DEVICES, 1, null, '\0'] }], 303],
  ['more items than there may be', Array(10_001).fill(ITEM), 0],
])('%s: other work may go on before each item of a long list', async (_list, customers, later) => {
  const given = { name: 'hudu', input: { customers } }
  let asked = 0
  const checked = await checkArgumentsInSlices(args, given, locate, async () => void asked++)
  expect(asked).toBe(later)
  expect(checked).toEqual(checkArguments(args, given, locate))
})

it('the values of a long list are those that were sent, in their order, and problems name their items', async () => {
  const customers = Array.from({ length: 150 }, (_, index) => ({ external_id: `${index}`, name: 'A' }))
  const good = await checkArgumentsInSlices(args, { name: 'hudu', input: { customers } }, locate)
  expect(good).toMatchObject({ errors: [], values: { input: { customers } } })
  const bad = [...customers, { external_id: 'b', name: 2 }, null]
  const { errors } = await checkArgumentsInSlices(args, { name: 'hudu', input: { customers: bad } }, locate)
  expect(errors.map(({ field, code }) => [field, code])).toEqual([
    ['customers.150.name', 'type'],
    ['customers.151', 'null'],
  ])
})
