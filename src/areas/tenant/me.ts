/** The type of the caller, for `me`. */
import type { NamedLimitStatus } from '../../access/limits/state.ts'
import { actingUserIdOf, roleOf, type Viewer } from '../../access/viewer.ts'
import { limitsOf } from '../../gateway/rate-limits.ts'
import { builder } from '../../schema/builder.ts'
import { PrincipalType, TenantRole } from './enums.ts'

const RateLimitStatus = builder.objectRef<NamedLimitStatus>('RateLimitStatus').implement({
  description: 'A limit, and what the caller has left of it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the limit.' }),
    limit: t.exposeInt('limit', { description: 'Requests, writes or points in one window.' }),
    window_seconds: t.exposeInt('window_seconds', { description: 'Length of the window, in seconds.' }),
    remaining: t.exposeInt('remaining', {
      description: 'The requests that are left, as far as the process that answers knows.',
    }),
    reset_at: t.field({
      type: 'DateTime',
      description: 'When the whole limit is there again, if nothing is used until then.',
      resolve: ({ reset_seconds }, _args, { now }) => new Date(now.getTime() + reset_seconds * 1000),
    }),
  }),
})

export const Me = builder.objectRef<Viewer>('Me').implement({
  description: 'The caller.',
  fields: (t) => ({
    principal_type: t.field({
      type: PrincipalType,
      description: 'The kind of caller.',
      resolve: ({ kind }) => kind.type,
    }),
    id: t.exposeID('id', { description: 'Id of the user or of the key.' }),
    name: t.exposeString('name', { description: 'Name of the user or of the key.' }),
    role: t.field({
      type: TenantRole,
      nullable: true,
      description: 'The user’s role, or the acting user’s. null: an API key with no acting user.',
      resolve: roleOf,
    }),
    scopes: t.stringList({
      description:
        'Everything the caller may do now: a key’s scopes as far as its creator’s and its acting user’s role ' +
        'allow them, or what the user’s role allows.',
      resolve: ({ scopes }) => [...scopes].sort(),
    }),
    acting_user_id: t.id({
      nullable: true,
      description: 'The user in whose name a key calls.',
      resolve: actingUserIdOf,
    }),
    tenant_id: t.exposeID('tenant_id', { description: 'The tenant whose data the caller reaches.' }),
    environment: t.exposeString('environment', { description: 'The environment of this call.' }),
    expires_at: t.expose('expires_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the credential stops working: a rotated key’s at the end of its overlap.',
    }),
    limits: t.field({
      type: [RateLimitStatus],
      max_items: 50,
      description: 'Every limit that counts what the caller does, alone or with the rest of the tenant.',
      resolve: (viewer, _args, ctx) => limitsOf(ctx, viewer),
    }),
  }),
})
