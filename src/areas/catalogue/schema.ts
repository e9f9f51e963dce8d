import { isEnumType } from 'graphql'
import { anyCaller, anyone } from '../../access/policies/policies.ts'
import { detailsSchema } from '../../errors/details-schema.ts'
import { ERRORS } from '../../errors/errors.ts'
import { operationId } from '../../gateway/operation-id.ts'
import { builder } from '../../schema/builder.ts'
import { codesOf } from '../../schema/error-codes.ts'
import { type DeclaredEvent, declaredEvents } from '../../schema/events/declare.ts'
import { EventSeverity } from '../events/index.ts'
import './agents.ts'
import { area } from './area.ts'
import './change-options.ts'
import { type EnumEntry, type ErrorEntry, enumCatalog, errorCatalog } from './rules.ts'
import './tools.ts'

const ErrorCatalogEntry = builder.objectRef<ErrorEntry>('ErrorCatalogEntry').implement({
  description: 'One code that `error.code` can be.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Stable: test against it.' }),
    status: t.exposeInt('status', { description: 'The HTTP status, always the same one.' }),
    meaning: t.exposeString('meaning', { description: 'Its meaning, in a sentence.' }),
    retryable: t.exposeBoolean('retryable', {
      description: 'True if the same request may succeed later.',
    }),
    fix: t.exposeString('fix', { description: 'Advice for the caller.' }),
    details_schema: t.expose('details_schema', {
      type: 'JSON',
      description: 'The JSON Schema of `details` of such an error. Further members may be added.',
    }),
    operations: t.exposeStringList('operations', {
      description:
        'The operations that can answer with it, by their `operationId` in OpenAPI. None: it comes from the interface, as ' +
        'for an unknown path.',
    }),
  }),
})

area.query('error_codes', (t) =>
  t.field({
    type: [ErrorCatalogEntry],
    max_items: 500,
    description: 'Lists every error code of the API, by status.',
    rest: { method: 'GET', path: '/schemas/error-codes' },
    access: anyone,
    cacheable: true,
    resolve: (_root, _args, { services }) =>
      errorCatalog(
        ERRORS,
        services
          .operations()
          .map((operation) => ({ name: operationId(operation), codes: codesOf(operation) })),
        detailsSchema,
      ),
  }),
)

const EnumValue = builder.objectRef<EnumEntry['values'][number]>('EnumValue').implement({
  description: 'One value of an enumeration.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'As it is written in requests and answers.' }),
    description: t.exposeString('description', { description: 'The meaning of the value.' }),
  }),
})

const EnumCatalogEntry = builder.objectRef<EnumEntry>('EnumCatalogEntry').implement({
  description: 'An enumeration. Values may be added: take one that you do not know as such.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in GraphQL and in OpenAPI.' }),
    description: t.exposeString('description', { description: 'The meaning of the enumeration.' }),
    values: t.field({
      type: [EnumValue],
      max_items: 100,
      description: 'Its values.',
      resolve: ({ values }) => values,
    }),
  }),
})

area.query('enum_catalog', (t) =>
  t.field({
    type: [EnumCatalogEntry],
    max_items: 250,
    description: 'Lists every enumeration of the API with its values, by name.',
    rest: { method: 'GET', path: '/schemas/enums', operation_id: 'list_enums' },
    access: anyone,
    cacheable: true,
    resolve: (_root, _args, { services }) =>
      enumCatalog(Object.values(services.schema().getTypeMap()).filter(isEnumType)),
  }),
)

const EventType = builder.objectRef<DeclaredEvent>('EventType').implement({
  description: 'A type of events. Types may be added: take a type that you do not know as such.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'The type, as `type` of an event has it.' }),
    description: t.exposeString('description', { description: 'The event, in a sentence.' }),
    severity: t.expose('severity', {
      type: EventSeverity,
      description: 'The severity of every event of the type.',
    }),
    data_schema: t.expose('data_schema', {
      type: 'JSON',
      description: 'The JSON Schema of `data` of such an event. Further members may be added.',
    }),
    available: t.exposeBoolean('available', {
      description: 'False for a type that the service does not raise yet.',
    }),
  }),
})

area.query('event_types', (t) =>
  t.field({
    type: [EventType],
    max_items: 200,
    description: 'Lists the types of events that the event feed carries, by name.',
    rest: { method: 'GET', path: '/schemas/event-types' },
    access: anyCaller,
    cacheable: true,
    resolve: () => [...declaredEvents()],
  }),
)
