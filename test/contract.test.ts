/**
 * The contract, as tables: every operation, rule, status and code that it states, and the test that proves each through
 * both interfaces.
 */
import { existsSync } from 'node:fs'
import { isEnumType } from 'graphql'
import { expect, test } from 'vitest'
import { buildSchemas } from '../src/composition/schemas.ts'
import { ERRORS } from '../src/errors/errors.ts'
import { openApiDocument } from '../src/rest/openapi/document.ts'
import { ENDPOINTS } from './contract/endpoints.ts'
import { CODE_PROOFS, STATUS_PROOFS } from './contract/errors.ts'
import { GENERAL } from './contract/general.ts'
import { NOT_YET } from './contract/not-yet.ts'
import { OPERATIONS } from './contract/operations.ts'
import { interfacesOf, problemOf } from './contract/proof.ts'
import { RESOURCES } from './contract/resources.ts'
import type { Proof, Row } from './contract/row.ts'
import { AREAS, CODES, ENUMERATIONS, SECTIONS, STATUSES, SYSTEMS, VALUES } from './contract/sections.ts'

const { operations, schema } = buildSchemas()
const existing = new Map(operations.map((one) => [`${one.rest.method} ${one.rest.path}`, one]))
const document = openApiDocument(operations)
const rows: readonly Row[] = [...RESOURCES, ...ENDPOINTS, ...GENERAL]
const proofs: readonly Proof[] = [
  ...rows.flatMap((row) => row.proofs),
  ...Object.values(OPERATIONS).map(({ proof }) => proof),
  ...Object.values(STATUS_PROOFS).flat(),
  ...Object.values(CODE_PROOFS).flat(),
]
const key = (rule: readonly [string, number]): string => rule.join(' ')

test('every rule of the contract has a row, and every row is of a rule', () => {
  const stated = Object.entries(SECTIONS).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, index) => key([section, index + 1])),
  )
  const missing = NOT_YET.flatMap(({ rules = [] }) => rules.map(key))
  expect([...rows.map(({ rule }) => key(rule)), ...missing].sort()).toEqual(stated.sort())
})

test('every operation that the contract names is in the schema, and in the table', () => {
  const named = [...rows.flatMap((row) => row.operations ?? []), ...Object.keys(OPERATIONS)]
  expect(named.filter((name) => !existing.has(name))).toEqual([])
  expect(named.filter((name) => !(name in OPERATIONS) && name !== 'PUT /company-links')).toEqual([])
})

test('every area has operations', () => {
  const there = operations.map(({ area }) => area.name)
  const missing = NOT_YET.map(({ until }) => until.area)
  expect(AREAS.filter((area) => !there.includes(area) && !missing.includes(area))).toEqual([])
})

test('every status and error code has its proofs, and its status in the table of errors', () => {
  expect(Object.keys(STATUS_PROOFS)).toEqual(STATUSES.map(String))
  const missing = NOT_YET.flatMap(({ codes = [] }) => codes)
  expect([...Object.keys(CODE_PROOFS), ...missing].sort()).toEqual(Object.keys(CODES).sort())
  for (const [code, status] of Object.entries(CODES))
    if (!missing.includes(code))
      expect([code, ERRORS[code as keyof typeof ERRORS]?.status]).toEqual([code, status])
})

test.each(proofs.map((proof) => [`${proof[0]}: ${proof[1]}`, proof] as const))('%s', (_name, proof) => {
  expect(problemOf(proof)).toBeUndefined()
})

test('every row is proved through both interfaces, or says why one is enough', () => {
  const half = rows.filter((row) => interfacesOf(row.proofs).size < 2 !== (row.one_interface !== undefined))
  expect(half.map(({ rule }) => key(rule))).toEqual([])
})

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  items?: Schema
  oneOf?: Schema[]
  anyOf?: Schema[]
  allOf?: Schema[]
}

interface Content {
  content?: Record<string, { schema: Schema }>
}

interface Described {
  requestBody?: Content
  responses: Record<string, Content>
}

const schemaOf = (body: Content | undefined) => body?.content?.['application/json']?.schema

/** The properties of the object that the schema is, or that its alternatives, references or items are. */
function propertiesOf(schema: Schema): Record<string, Schema> {
  const { $ref, items, oneOf = [], anyOf = [], allOf = [], properties = {} } = schema
  const named = $ref && document.components.schemas?.[$ref.split('/').at(-1) ?? '']
  const parts = [...oneOf, ...anyOf, ...allOf, ...(items ? [items] : []), ...(named ? [named as Schema] : [])]
  return Object.assign({}, properties, ...parts.map(propertiesOf))
}
const at = (schema: Schema | undefined, path: string): Schema | undefined =>
  path.split('.').reduce<Schema | undefined>((parent, name) => parent && propertiesOf(parent)[name], schema)
const words = (text = ''): string[] => text.split(/\s+/).filter((word) => word !== '')

test.each(Object.entries(OPERATIONS))('%s takes and answers with what the contract names', (name, named) => {
  const [method = '', path = ''] = name.split(' ')
  const described = document.paths[`/public-api${path}`]?.[method.toLowerCase()] as Described | undefined
  const parameters = existing.get(name)?.field.args.map((arg) => arg.name) ?? []
  const taken = (word: string) => parameters.includes(word) || at(schemaOf(described?.requestBody), word)
  expect(words(named.takes).filter((word) => !taken(word))).toEqual([])
  const answer = schemaOf(described?.responses['200'])
  expect(words(named.answers).filter((word) => !at(answer, `data.${word}`))).toEqual([])
})

const valuesOf = (name: string): string[] => {
  const type = schema.getType(name)
  return isEnumType(type) ? type.getValues().map((value) => value.name) : []
}

test.each(Object.entries(ENUMERATIONS))(
  '%s has the values of the contract, and no others',
  (name, values) => {
    expect(valuesOf(name).sort()).toEqual([...values].sort())
  },
)

test.each(Object.entries(VALUES))('%s has the values that the contract gives', (name, values) => {
  expect(valuesOf(name)).toEqual(expect.arrayContaining([...values]))
})

test('links are those of as many integrations as the contract says, in upper-case with underscores', () => {
  const systems = valuesOf('CompanyLinkSystem')
  expect(systems).toHaveLength(SYSTEMS)
  expect(systems.filter((name) => !/^[A-Z0-9]+(?:_[A-Z0-9]+)*$/.test(name))).toEqual([])
})

const MOVE =
  'is there now: take it out of NOT_YET in test/contract/not-yet.ts, and give each of its rules a row with a test in ' +
  'test/contract/endpoints.ts or general.ts, its codes one in CODE_PROOFS (errors.ts), its operation one in OPERATIONS'

test.each(NOT_YET)('is not there yet: $says', ({ says, until: { operations: named = [], area, file } }) => {
  const there = [
    ...named.filter((name) => existing.has(name)),
    ...operations.filter((one) => one.area.name === area).map(({ name }) => name),
    ...(file && existsSync(new URL(`../${file}`, import.meta.url)) ? [file] : []),
  ]
  expect(there, `${says} ${MOVE}`).toEqual([])
})
