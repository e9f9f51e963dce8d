import { scope } from '../../access/policies/policies.ts'
import { scoped, sql } from '../../db/db.ts'
import type { Context } from '../../gateway/context.ts'
import { builder, defineArea } from '../../schema/builder.ts'
import { DEFAULT_ALLOWANCE, usedPct } from './rules.ts'

const area = defineArea({
  name: 'Documentation',
  slug: 'documentation',
  description: 'The tenant’s documentation that the service stores for its agents.',
  example: `
query DocumentationQuota {
  documentation_quota { used_bytes limit_bytes used_files limit_files used_pct }
}`,
})

interface Quota {
  used_bytes: number
  limit_bytes: number
  used_files: number
  limit_files: number
}

// A tenant has some thousands of files at most, whose sizes are in one index.
const READ = scoped(
  'documentation.quota',
  `select coalesce(sum(f.size_bytes), 0) as used_bytes, count(*) as used_files,
     coalesce((select limit_bytes from documentation_allowance where tenant_id = $1 and environment = $2),
       ${DEFAULT_ALLOWANCE.limit_bytes}) as limit_bytes,
     coalesce((select limit_files from documentation_allowance where tenant_id = $1 and environment = $2),
       ${DEFAULT_ALLOWANCE.limit_files}) as limit_files
   from documentation_file f where f.tenant_id = $1 and f.environment = $2`,
)

async function readQuota(ctx: Context): Promise<Quota> {
  const [quota] = await sql<Quota>(ctx, READ)
  if (!quota) throw new Error('A sum without a row')
  return quota
}

const DocumentationQuota = builder.objectRef<Quota>('DocumentationQuota').implement({
  description: 'The storage that the tenant’s documentation uses, and how much it may use.',
  fields: (t) => ({
    // More bytes than a GraphQL Int counts.
    used_bytes: t.expose('used_bytes', {
      type: 'NonNegativeFloat',
      description: 'Bytes of all stored files.',
    }),
    limit_bytes: t.expose('limit_bytes', {
      type: 'NonNegativeFloat',
      description: 'Bytes that may be stored.',
    }),
    used_files: t.expose('used_files', { type: 'NonNegativeInt', description: 'Files that are stored.' }),
    limit_files: t.expose('limit_files', {
      type: 'NonNegativeInt',
      description: 'Files that may be stored.',
    }),
    used_pct: t.field({
      type: 'NonNegativeFloat',
      description: 'The percentage of the allowance that is used: of bytes or of files, whichever is more.',
      resolve: usedPct,
    }),
    as_of: t.field({
      type: 'DateTime',
      description: 'The instant of these figures.',
      resolve: (_quota, _args, ctx) => ctx.now,
    }),
  }),
})

area.query('documentation_quota', (t) =>
  t.field({
    type: DocumentationQuota,
    description: 'Gets the documentation storage allowance, and how much of it is used.',
    rest: { method: 'GET', path: '/documentation/quota' },
    access: scope('tenant:read'),
    resolve: (_root, _args, ctx) => readQuota(ctx),
  }),
)
