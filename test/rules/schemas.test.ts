import { describe, expect, it } from 'vitest'
import { enumCatalog, errorCatalog } from '../../src/areas/catalogue/rules.ts'

describe('the catalogue of error codes', () => {
  it('is by status, then in the table’s order, with the operations that answer so', () => {
    const errors = {
      late: { status: 409, message: 'Late.', fix: 'Hurry.' },
      busy: { status: 400, message: 'Busy.', fix: 'Wait.', retryable: true },
      bad: { status: 400, message: 'Bad.', fix: 'Mend.' },
    } as const
    const operations = [
      { name: 'a', codes: ['late', 'bad'] },
      { name: 'b', codes: ['late'] },
    ]
    const schemaOf = (code: keyof typeof errors) => ({ title: code })
    const listed = errorCatalog(errors, operations, schemaOf)
    expect(listed.map(({ code, details_schema }) => [code, details_schema])).toEqual(
      ['busy', 'bad', 'late'].map((code) => [code, { title: code }]),
    )
    expect(listed.map(({ details_schema: _schema, ...others }) => others)).toEqual([
      { code: 'busy', status: 400, meaning: 'Busy.', retryable: true, fix: 'Wait.', operations: [] },
      { code: 'bad', status: 400, meaning: 'Bad.', retryable: false, fix: 'Mend.', operations: ['a'] },
      {
        code: 'late',
        status: 409,
        meaning: 'Late.',
        retryable: false,
        fix: 'Hurry.',
        operations: ['a', 'b'],
      },
    ])
  })
})

describe('the catalogue of enumerations', () => {
  it('is by name, without GraphQL’s own', () => {
    const enumeration = (name: string) => ({
      name,
      description: 'Words.',
      getValues: () => [{ name: 'ONE', description: 'First.' }, { name: 'TWO' }],
    })
    const [first, ...others] = enumCatalog(['B', '__Kind', 'A'].map(enumeration))
    expect(others.map(({ name }) => name)).toEqual(['B'])
    expect(first).toEqual({
      name: 'A',
      description: 'Words.',
      values: [
        { value: 'ONE', description: 'First.' },
        { value: 'TWO', description: '' },
      ],
    })
  })
})
