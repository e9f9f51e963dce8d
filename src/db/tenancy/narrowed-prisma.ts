/** Prisma's client, narrowed: every operation is limited to the caller's tenant and environment. */
import { convertRow } from '../column-types.ts'
import { type DatabaseContext, type Tenancy, tenancyOf, timed } from './context.ts'
import { forTenant } from './tenant-work.ts'

const READS = new Set(['findFirst', 'findFirstOrThrow', 'findMany', 'count', 'aggregate', 'groupBy'])
const UNIQUE_READS = new Set(['findUnique', 'findUniqueOrThrow'])
const CHANGES = new Set(['updateMany', 'updateManyAndReturn', 'deleteMany'])
const CREATES = new Set(['create', 'createMany', 'createManyAndReturn'])

/** Models that belong to no tenant, and the gateway's own. */
const NOT_TENANT_OWNED = new Set([
  'ChatTabCalls',
  'MetricsExporter',
  'RateBucket',
  'ReportedDeaths',
  'RequestPlace',
  'Tenant',
])

function narrowedArguments(
  operation: string,
  args: Record<string, unknown>,
  tenancy: Tenancy,
): Record<string, unknown> {
  if (READS.has(operation) || CHANGES.has(operation))
    return { ...args, where: { AND: [args.where ?? {}, tenancy] } }
  // A unique key must stand at the top of `where`. `AND` narrows it whatever else is there.
  if (UNIQUE_READS.has(operation)) {
    const where = args.where as { AND?: object | object[] }
    return { ...args, where: { ...where, AND: [where.AND ?? [], tenancy].flat() } }
  }
  if (!CREATES.has(operation)) throw new Error(`${operation} cannot be narrowed to a tenant`)
  const data = Array.isArray(args.data) ? args.data : [args.data]
  const owned = data.map((row) => ({ ...row, ...tenancy }))
  return { ...args, data: operation === 'create' ? owned[0] : owned }
}

function narrow(ctx: DatabaseContext) {
  const { tenant_id, environment } = tenancyOf(ctx)
  const { db_time, services } = ctx
  return services.database.prisma.$extends({
    query: {
      $allModels: {
        async $allOperations({ model, operation, args, query }) {
          if (NOT_TENANT_OWNED.has(model)) throw new Error(`${model} is not reached through a tenant`)
          const owned = narrowedArguments(operation, args as Record<string, unknown>, {
            tenant_id,
            environment,
          })
          return convertRow(await timed(db_time, () => forTenant(tenant_id, async () => await query(owned))))
        },
      },
    },
  })
}

const clients = new WeakMap<DatabaseContext, ReturnType<typeof narrow>>()

/** The caller's client, outside every transaction. */
export function narrowedPrisma(ctx: DatabaseContext): ReturnType<typeof narrow> {
  let client = clients.get(ctx)
  if (!client) {
    client = narrow(ctx)
    clients.set(ctx, client)
  }
  return client
}
