import type { NamedLimitStatus } from '../../access/limits/state.ts'
import { anyCaller, anyone } from '../../access/policies/policies.ts'
import { actingUserIdOf, callerOf, roleOf, type Viewer } from '../../access/viewer.ts'
import { invalid } from '../../errors/errors.ts'
import { operationId } from '../../gateway/operation-id.ts'
import { limitsOf } from '../../gateway/rate-limits.ts'
import { API_VERSION } from '../../lib/api.ts'
import { allAreas } from '../../schema/area.ts'
import { builder, defineArea } from '../../schema/builder.ts'
import { PrincipalType, TenantRole } from '../tenant/index.ts'
import { databaseCheck } from './health.ts'
import { type CallerAccess, type Check, discoverOperation, type Health, worstHealth } from './rules.ts'

const area = defineArea({
  name: 'Meta',
  slug: 'meta',
  description: 'The service itself: whether it is well, and what a credential may do here.',
  example: `
query WhatMayIDo {
  health { status version environment time }
  discover(resource: "integrations") {
    principal { type id tenant_id role }
    operations { name method path allowed missing_scopes reason }
  }
}`,
})

const HealthStatus = builder.enumType('HealthStatus', {
  description: 'The health of the service.',
  values: {
    OK: { description: 'Everything answers as it should.' },
    DEGRADED: {
      description: 'Something the service needs answers slowly, or takes no writes since its disk is full.',
    },
    DOWN: { description: 'Something the service needs does not answer: most operations fail.' },
  } satisfies Record<Health, object>,
})

interface HealthReport {
  environment: string
  time: Date
  database: Check
  detailed: boolean
}

const HealthType = builder.objectRef<HealthReport>('Health').implement({
  description: 'The health of the service.',
  fields: (t) => ({
    status: t.field({
      type: HealthStatus,
      description: 'The worst of what the service needs.',
      resolve: ({ database }) => worstHealth([database]),
    }),
    version: t.string({ description: 'Version of the API.', resolve: () => API_VERSION }),
    environment: t.exposeString('environment', { description: 'The environment this service answers for.' }),
    time: t.expose('time', { type: 'DateTime', description: 'The service’s clock.' }),
    checks: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'By name what the service needs, now `database`: `{status, latency_ms}`, the milliseconds until it ' +
        'answered or was given up. null without a credential.',
      resolve: ({ database, detailed }) => (detailed ? { database } : null),
    }),
  }),
})

area.query('health', (t) =>
  t.field({
    type: HealthType,
    description:
      'Tells how the service is. It works without a credential; one that is presented must be good, or the answer is ' +
      '401. The answer is 200 whatever `status` says. Over REST and without a credential it comes within about ' +
      'a second, also while the database does not answer.',
    rest: { method: 'GET', path: '/health' },
    access: anyone,
    free: true,
    resolve: async (_root, _args, { services, viewer, now }) => {
      const { environment } = services
      const check = await databaseCheck(services)
      // Contract silent: 200 also when DOWN, since the report itself succeeded; /readyz answers 503.
      return { environment, time: now, database: check, detailed: viewer !== null }
    },
  }),
)

const Principal = builder.objectRef<Viewer>('Principal').implement({
  description: 'The caller.',
  fields: (t) => ({
    type: t.field({
      type: PrincipalType,
      description: 'The kind of credential.',
      resolve: ({ kind }) => kind.type,
    }),
    id: t.exposeID('id', { description: 'Id of the key or of the user.' }),
    tenant_id: t.exposeID('tenant_id', { description: 'The tenant whose data the caller reaches.' }),
    environment: t.exposeString('environment', { description: 'And in which environment.' }),
    role: t.field({
      type: TenantRole,
      nullable: true,
      description: 'The user’s role, or the acting user’s. null: an API key with no acting user.',
      resolve: roleOf,
    }),
    acting_user_id: t.id({
      nullable: true,
      description: 'The user in whose name a key calls.',
      resolve: actingUserIdOf,
    }),
  }),
})

const DiscoveredOperation = builder.objectRef<CallerAccess>('DiscoveredOperation').implement({
  description: 'One operation, as far as the caller is concerned.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'Its name: the `operationId` in OpenAPI.',
    }),
    graphql_field: t.exposeString('graphql_field', {
      description: 'The GraphQL field, which is `x-graphql-field` in OpenAPI.',
    }),
    method: t.exposeString('method', { description: 'HTTP method.' }),
    path: t.exposeString('path', { description: 'Path, with `{parameters}`.' }),
    allowed: t.exposeBoolean('allowed', { description: 'True if the caller may call it.' }),
    missing_scopes: t.exposeStringList('missing_scopes', {
      description: 'The scopes that the caller lacks.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The error code that calling it would be answered with. null: the caller may.',
    }),
    approval_group: t.exposeString('approval_group', {
      nullable: true,
      description:
        'The permission group whose technicians approve calls of it through the API-request channel. null: no call ' +
        'of it waits for an approval.',
    }),
  }),
})

const DiscoveredLimit = builder.objectRef<NamedLimitStatus>('DiscoveredLimit').implement({
  description: 'A limit that the caller’s requests count against.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the limit.' }),
    limit: t.exposeInt('limit', { description: 'Requests, writes or points in one window.' }),
    window_seconds: t.exposeInt('window_seconds', { description: 'Length of the window, in seconds.' }),
  }),
})

interface Discovery {
  viewer: Viewer
  operations: CallerAccess[]
  limits: NamedLimitStatus[]
}

const DiscoveryType = builder.objectRef<Discovery>('Discovery').implement({
  description: 'The caller, and the operations that they may call.',
  fields: (t) => ({
    principal: t.field({ type: Principal, description: 'The caller.', resolve: ({ viewer }) => viewer }),
    scopes: t.stringList({
      description:
        'Everything the caller may do now: a key’s scopes as far as its creator’s and its acting ' +
        'user’s role allow them, or what the user’s role allows.',
      resolve: ({ viewer }) => [...viewer.scopes].sort(),
    }),
    operations: t.field({
      type: [DiscoveredOperation],
      max_items: 500,
      description: 'Every operation, or those of the area that was asked for.',
      resolve: ({ operations }) => operations,
    }),
    limits: t.field({
      type: [DiscoveredLimit],
      max_items: 50,
      description: 'The limits that the caller’s requests count against.',
      resolve: ({ limits }) => limits,
    }),
  }),
})

/** By name: areas are defined in the order in which modules are loaded. */
const areaSlugs = (): string[] =>
  allAreas()
    .map(({ slug }) => slug)
    .toSorted()

const unknownArea = (slugs: readonly string[]) =>
  invalid([
    { field: 'resource', location: 'query', code: 'enum', message: `must be one of ${slugs.join(', ')}` },
  ])

area.query('discover', (t) =>
  t.field({
    type: DiscoveryType,
    description: 'Tells who the caller is, and for every operation whether they may call it and why not.',
    rest: { method: 'GET', path: '/discover', operation_id: 'discover' },
    access: anyCaller,
    args: {
      resource: t.arg.string({
        description: `Only the operations of one area: ${areaSlugs()
          .map((slug) => `\`${slug}\``)
          .join(', ')}.`,
        form: `^(?:${areaSlugs().join('|')})$`,
      }),
    },
    resolve: async (_root, { resource }, ctx) => {
      const slugs = areaSlugs()
      if (typeof resource === 'string' && !slugs.includes(resource)) throw unknownArea(slugs)
      const viewer = callerOf(ctx)
      const operations = ctx.services
        .operations()
        .filter(({ area: { slug } }) => !resource || slug === resource)
        .map((operation) => discoverOperation({ ...operation, id: operationId(operation) }, viewer))
      return { viewer, operations, limits: await limitsOf(ctx, viewer) }
    },
  }),
)
