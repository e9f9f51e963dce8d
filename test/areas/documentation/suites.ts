import { clock } from '../../setup/app.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'

export const SUITES: AreaSuites = {
  who_may: {
    documentation_quota: { scope: 'tenant:read' },
  },
  examples: {
    reads: {
      documentation_quota: {},
    },
  },
  async own_rows({ database: { prisma }, tenant_id, environment }, { id, mark, number }) {
    const now = clock.now()
    const tenancy = { tenant_id, environment }
    await prisma.documentationFile.create({
      data: { ...tenancy, id: `doc_${id}`, name: mark, size_bytes: number, created_at: now },
    })
    await prisma.documentationAllowance.createMany({
      data: { ...tenancy, updated_at: now },
      skipDuplicates: true,
    })
    return {}
  },
  shown_by: { documentation_quota: 'number' },
}
