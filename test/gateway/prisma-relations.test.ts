import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { anyone } from '../../src/access/policies/policies.ts'
import { getDatamodel } from '../../src/db/generated/pothos.ts'
import { walksPrismaRelation } from '../../src/gateway/execute.ts'
import type { Models } from '../../src/schema/models.ts'

const builder = new SchemaBuilder<{ PrismaTypes: Models }>({
  plugins: [PrismaPlugin],
  prisma: { client: {} as never, dmmf: getDatamodel() },
})
builder.prismaObject('EndCompany', { fields: (t) => ({ name: t.exposeString('name') }) })
const CompanyLink = builder.prismaObject('CompanyLink', {
  fields: (t) => ({ external_id: t.exposeString('external_id'), end_company: t.relation('end_company') }),
})
builder.queryType({
  fields: (t) => ({
    link: t.prismaField({
      type: CompanyLink,
      nullable: true,
      rest: { method: 'GET', path: '/link' },
      access: anyone,
      resolve: () => null,
    }),
  }),
})
const schema = builder.toSchema()

test.each([
  ['{ link { external_id } }', false],
  ['{ link { end_company { name } } }', true],
  ['{ ...F } fragment F on Query { link { ... on CompanyLink { end_company { name } } } }', true],
])('a document that walks a relation of Prisma is not compiled: %s', (text, walks) => {
  expect(walksPrismaRelation(schema, parse(text))).toBe(walks)
})
