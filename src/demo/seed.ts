/** Adds the demo MSP to a database: once, so that it stays as people change it. */
import type { Database } from '../db/database.ts'
import { seedAgentRevisions } from './agent-revisions.ts'
import { seedAgents } from './agents.ts'
import { seedApiKeys, seedUsage } from './api-keys.ts'
import { seedActivity } from './audit-log.ts'
import { seedBilling, seedDocumentation } from './billing.ts'
import { seedCallbacks } from './callbacks.ts'
import { seedChannels } from './channels.ts'
import { seedComms } from './comms.ts'
import { seedCompanyFilters } from './company-filters.ts'
import { seedCompanyLinks } from './company-links.ts'
import { type DemoKeys, type DemoOptions, demoKeys } from './demo.ts'
import { seedDevices } from './devices.ts'
import { seedDispatch } from './dispatch.ts'
import { seedDocuments } from './documents.ts'
import { seedEndCompanies } from './end-companies.ts'
import { seedEndUsers } from './end-users.ts'
import { seedEscalation } from './escalation.ts'
import { seedEvents } from './events.ts'
import { seedExecutionHistory } from './execution-history.ts'
import { seedExecutions } from './executions.ts'
import { seedFeedback } from './feedback.ts'
import { seedIdentities } from './identities.ts'
import { seedInbox } from './inbox.ts'
import { seedConnections, seedIntegrationRequests, seedSyncs } from './integrations.ts'
import { seedMemories } from './memories.ts'
import { seedCredits, seedTicketsReceived } from './performance.ts'
import { seedPsa } from './psa.ts'
import { seedScheduledWork } from './scheduled-work.ts'
import { seedSchedules } from './schedules.ts'
import { seedScriptRuns } from './script-runs.ts'
import { seedScripts } from './scripts.ts'
import { type Seeding, seedingOf } from './seeding.ts'
import { seedPermissionGroups, seedSettings } from './settings.ts'
import { seedSkills } from './skills.ts'
import { seedTechnicians } from './technicians.ts'
import { seedTenant, seedUsers } from './tenant.ts'
import { seedTilRequests } from './til-requests.ts'
import { seedToolCalls } from './tool-calls.ts'
import { seedUpstreamCalls } from './upstream-calls.ts'
import { seedWaitingWork } from './waiting-work.ts'
import { seedWebhooks } from './webhooks.ts'

export interface Demo extends DemoKeys {
  /** True if the demo did not exist before. */
  added: boolean
}

/** Seeds in order; each may refer to the rows of those before it. */
const PARTS: readonly ((seeding: Seeding) => Promise<void>)[] = [
  seedTenant,
  seedSchedules,
  seedTechnicians,
  seedUsers,
  seedSettings,
  seedPermissionGroups,
  seedEndCompanies,
  seedCompanyFilters,
  seedCompanyLinks,
  seedConnections,
  seedIntegrationRequests,
  seedSyncs,
  seedAgents,
  seedAgentRevisions,
  seedExecutions,
  seedSkills,
  seedScheduledWork,
  seedPsa,
  seedDevices,
  seedScripts,
  seedDocuments,
  seedIdentities,
  seedCallbacks,
  seedUpstreamCalls,
  seedMemories,
  seedEndUsers,
  seedChannels,
  seedCredits,
  seedTicketsReceived,
  seedBilling,
  seedDocumentation,
  seedApiKeys,
  seedUsage,
  seedToolCalls,
  seedTilRequests,
  seedExecutionHistory,
  seedWaitingWork,
  seedActivity,
  seedEvents,
  seedWebhooks,
  seedDispatch,
  seedScriptRuns,
  seedFeedback,
  seedEscalation,
  seedComms,
  seedInbox,
]

const TIMEOUT_MS = 60_000

/** Seeds this environment's demo in one transaction, once: of several processes one does, and the others wait for it. */
export async function seedDemo(database: Database, options: DemoOptions): Promise<Demo> {
  const added = await database.migrating(() =>
    database.prisma.$transaction(
      async (tx) => {
        const seeding = seedingOf(tx, options)
        const missing = (await tx.settings.count({ where: seeding.tenancy })) === 0
        if (missing) for (const part of PARTS) await part(seeding)
        return missing
      },
      { timeout: TIMEOUT_MS, maxWait: TIMEOUT_MS },
    ),
  )
  return { added, ...(await demoKeys(database.sql, options)) }
}
