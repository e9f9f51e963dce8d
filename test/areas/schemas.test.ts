import { isEnumType } from 'graphql'
import { expect, it } from 'vitest'
import { ERRORS } from '../../src/errors.ts'
import { codesOf } from '../../src/graphql/codes.ts'
import { describeApi, published } from '../setup/api.ts'
import { request } from '../setup/http.ts'
import { world } from '../setup/world.ts'

interface Entry {
  code: string
  status: number
  meaning: string
  retryable: boolean
  operations: string[]
}

interface Enumeration {
  name: string
  description: string
  values: { value: string; description: string }[]
}

describeApi('schemas', (api) => {
  it('list every error code to anyone, with its one status and what to do about it', async () => {
    const { data } = await api.call(null, 'error_codes')
    const byCode = new Map<string, Entry>(data.map((entry: Entry) => [entry.code, entry]))
    expect([...byCode.keys()].toSorted()).toEqual(Object.keys(ERRORS).toSorted())
    for (const [code, { status, message, fix }] of Object.entries(ERRORS)) {
      expect(byCode.get(code)).toMatchObject({ status, fix, meaning: message })
    }
    expect(byCode.get('rate_limited')?.retryable).toBe(true)
    expect(byCode.get('unknown_integration')).toMatchObject({ retryable: false, operations: ['integration'] })
  })

  it('list with every error code exactly the operations that can answer with it', async () => {
    const { data } = await api.call(null, 'error_codes')
    const { operations } = await published()
    for (const { code, operations: names } of data as Entry[]) {
      const expected = operations.filter((operation) => (codesOf(operation) as string[]).includes(code))
      expect(names).toEqual(expected.map(({ name }) => name))
    }
  })

  it('list every enumeration to anyone, with its values', async () => {
    const { data } = await api.call(null, 'enum_catalog')
    const { schema } = await published()
    const enums = Object.values(schema.getTypeMap()).filter(isEnumType)
    const own = enums.filter(({ name }) => !name.startsWith('__'))
    expect(data.map(({ name }: Enumeration) => name)).toEqual(own.map(({ name }) => name).toSorted())
    const systems = data.find(({ name }: Enumeration) => name === 'CompanyLinkSystem')
    expect(systems.values).toHaveLength(38)
    expect(systems.values).toContainEqual({ value: 'OKTA', description: 'Okta (IDENTITY_PROVIDER).' })
  })

  it('describe every enumeration and every value of it', async () => {
    const { data } = await api.call(null, 'enum_catalog')
    const undescribed = (data as Enumeration[]).flatMap(({ name, description, values }) => [
      ...(description === '' ? [name] : []),
      ...values.filter((each) => each.description === '').map(({ value }) => `${name}.${value}`),
    ])
    expect(undescribed).toEqual([])
  })
})

it.each(['/public-api/schemas/error-codes', '/public-api/schemas/enums'])(
  '%s may be kept for five minutes and is not sent again unchanged',
  async (path) => {
    const msp = await world()
    const first = await request(path)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{22}"$/)
    expect(first.headers.get('cache-control')).toBe('private, max-age=300')
    const again = await request(path, { headers: { 'if-none-match': etag } }, msp.key)
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect(again.headers.get('etag')).toBe(etag)
    expect(again.headers.get('cache-control')).toBe('private, max-age=300')
    const other = await request(path, { headers: { 'if-none-match': '"another"' } })
    expect(other.status).toBe(200)
  },
)
