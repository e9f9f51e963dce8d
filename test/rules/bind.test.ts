/** What the text of a query stands for. */
import { expect, it } from 'vitest'
import { ApiError } from '../../src/errors/errors.ts'
import { binder } from '../../src/rest/bind.ts'
import { builtSchemas } from '../setup/app.ts'

const { operations } = builtSchemas()

/** The value of the parameter; null if it is refused. */
async function bound(operation: string, name: string, text: string): Promise<unknown> {
  const named = operations.find((candidate) => candidate.name === operation)
  if (!named) throw new Error(`There is no operation ${operation}`)
  try {
    const { values } = await binder(named)({}, new URLSearchParams({ [name]: text }), null)
    return values[name]
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return null
    throw error
  }
}

it.each<[text: string, number: number | null]>([
  ['0.5', 0.5],
  ['1e-1', 0.1],
  ['5E-1', 0.5],
  ['0.12345678901234567', Number('0.12345678901234567')],
  ['0.30000000000000004', 0.30000000000000004],
  ['1.0', 1],
  ...['1e400', '.5', '1.', '+1', '01', '0x1', '1e', 'NaN', ' 1', ''].map((text): [string, null] => [
    text,
    null,
  ]),
])('the number %j is that of JSON', async (text, number) => {
  expect(await bound('memories', 'min_confidence', text)).toBe(number)
})

it.each<[text: string, number: number | null]>([
  ['10', 10],
  ['1e1', 10],
  ['10.0', 10],
  ...['1.5', '1e400', '12345678901', '-1', '1_0'].map((text): [string, null] => [text, null]),
])('the whole number %j is that of JSON', async (text, number) => {
  expect(await bound('agents', 'page_size', text)).toBe(number)
})
