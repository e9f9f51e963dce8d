/** The fields that connections need, as a form asks for them. */
import { anyCaller } from '../../../access/policies/policies.ts'
import type { ConnectableSystem, ConnectionField } from '../../../connectors/fields.ts'
import { builder } from '../../../schema/builder.ts'
import { area } from '../area.ts'
import { CompanyLinkSystem } from '../index.ts'
import { IntegrationCategory } from '../integration-status.ts'
import { integrationOf } from '../registry.ts'
import { CONNECTABLE, fieldsOf, memberOf } from './connection.ts'

const ConnectionFieldKind = builder.enumType('ConnectionFieldKind', {
  description: 'The kind of text that a field of a connection takes.',
  values: {
    TEXT: { description: 'A text.' },
    URL: { description: 'An https address without user name, password, query and fragment.' },
  },
})

const ConnectionFieldSchema = builder.objectRef<ConnectionField>('ConnectionFieldSchema').implement({
  description: 'A field of a connection.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in the body.' }),
    description: t.exposeString('description', { description: 'What to fill in.' }),
    secret: t.exposeBoolean('secret', {
      description: 'True: it is stored encrypted, and no answer has it.',
    }),
    required: t.exposeBoolean('required', {
      description: 'True if the system cannot be connected without it.',
    }),
    kind: t.expose('kind', { type: ConnectionFieldKind, description: 'The kind of text that it takes.' }),
    max_length: t.exposeInt('max_length', { description: 'The most characters.' }),
    pattern: t.string({
      nullable: true,
      description: 'The regular expression that matches it. null: there is none.',
      resolve: ({ pattern }) => pattern?.source ?? null,
    }),
  }),
})

const ConnectionSchema = builder.objectRef<ConnectableSystem>('ConnectionSchema').implement({
  description: 'A system that can be connected, with the fields of its connection.',
  fields: (t) => ({
    id: t.id({
      description: 'The name of the integration.',
      resolve: (system) => integrationOf(system).name,
    }),
    system: t.field({
      type: CompanyLinkSystem,
      description: 'The system that is connected.',
      resolve: (system) => system,
    }),
    category: t.field({
      type: IntegrationCategory,
      description: 'The kind of system.',
      resolve: (system) => integrationOf(system).category,
    }),
    member: t.string({
      description: 'The member of the body of `PUT /integrations/{name}/connection` that has the fields.',
      resolve: (system) => memberOf(system),
    }),
    fields: t.field({
      type: [ConnectionFieldSchema],
      max_items: 20,
      description: 'The fields, in the order in which they are asked for.',
      resolve: (system) => [...fieldsOf(system)],
    }),
  }),
})

area.query('connection_schemas', (t) =>
  t.field({
    type: [ConnectionSchema],
    max_items: 38,
    description: 'Lists the systems that can be connected, by name, with the fields that each needs.',
    rest: { method: 'GET', path: '/schemas/connections' },
    access: anyCaller,
    cacheable: true,
    resolve: (_root, _args, { services }) =>
      CONNECTABLE.filter((system) => services.connectors.adapterOf(system)).toSorted(),
  }),
)
