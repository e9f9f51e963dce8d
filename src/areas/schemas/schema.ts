import { isEnumType } from 'graphql'
import { anyone } from '../../access/policies.ts'
import { ERRORS } from '../../errors.ts'
import { builder, defineArea } from '../../schema/builder.ts'
import { codesOf } from '../../schema/error-codes.ts'
import { type EnumEntry, type ErrorEntry, enumCatalog, errorCatalog } from './rules.ts'

const area = defineArea({
  name: 'Schemas',
  slug: 'schemas',
  description: 'What the API is made of, for programs: error codes and enumerations.',
  example: `
query ErrorCodes {
  error_codes { code status meaning retryable fix operations }
}

# query Enums {
#   enum_catalog { name description values { value description } }
# }`,
})

const ErrorCatalogEntry = builder.objectRef<ErrorEntry>('ErrorCatalogEntry').implement({
  description: 'One code that `error.code` can be.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Stable: test against it.' }),
    status: t.exposeInt('status', { description: 'The HTTP status, always the same one.' }),
    meaning: t.exposeString('meaning', { description: 'What it says.' }),
    retryable: t.exposeBoolean('retryable', { description: 'Whether the same request may succeed later.' }),
    fix: t.exposeString('fix', { description: 'What the caller can do about it.' }),
    operations: t.exposeStringList('operations', {
      description:
        'The operations that can answer with it. None: it comes from the interface, as for an unknown path.',
    }),
  }),
})

area.query('error_codes', (t) =>
  t.field({
    type: [ErrorCatalogEntry],
    description: 'Lists every error code of the API, by status.',
    rest: { method: 'GET', path: '/schemas/error-codes' },
    access: anyone,
    cacheable: true,
    resolve: (_root, _args, { services }) =>
      errorCatalog(
        ERRORS,
        services.operations().map((operation) => ({ name: operation.name, codes: codesOf(operation) })),
      ),
  }),
)

const EnumValue = builder.objectRef<EnumEntry['values'][number]>('EnumValue').implement({
  description: 'One value of an enumeration.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'As it is written in requests and answers.' }),
    description: t.exposeString('description', { description: 'What it means.' }),
  }),
})

const EnumCatalogEntry = builder.objectRef<EnumEntry>('EnumCatalogEntry').implement({
  description: 'An enumeration. Values may be added: take one that you do not know as such.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in GraphQL and in OpenAPI.' }),
    description: t.exposeString('description', { description: 'What it enumerates.' }),
    values: t.field({ type: [EnumValue], description: 'Its values.', resolve: ({ values }) => values }),
  }),
})

area.query('enum_catalog', (t) =>
  t.field({
    type: [EnumCatalogEntry],
    description: 'Lists every enumeration of the API with its values, by name.',
    rest: { method: 'GET', path: '/schemas/enums', operation_id: 'list_enums' },
    access: anyone,
    cacheable: true,
    resolve: (_root, _args, { services }) =>
      enumCatalog(Object.values(services.schema().getTypeMap()).filter(isEnumType)),
  }),
)
