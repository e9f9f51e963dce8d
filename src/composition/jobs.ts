/** Every job and every loop of the service: all that these modules export. */
import * as agents from '../areas/agents/jobs.ts'
import * as api_keys from '../areas/api-keys/jobs.ts'
import * as audit_log from '../areas/audit-log/jobs.ts'
import * as billing from '../areas/billing/jobs.ts'
import * as callbacks from '../areas/callbacks/jobs.ts'
import * as channels from '../areas/channels/jobs.ts'
import * as comms from '../areas/comms/jobs.ts'
import * as company_links from '../areas/company-links/jobs.ts'
import * as dispatch from '../areas/dispatch/jobs.ts'
import * as end_users from '../areas/end-users/jobs.ts'
import * as escalation from '../areas/escalation/jobs.ts'
import * as events from '../areas/events/jobs.ts'
import * as executions from '../areas/executions/jobs.ts'
import * as feedback from '../areas/feedback/jobs.ts'
import * as inbox from '../areas/inbox/jobs.ts'
import * as integration_syncs from '../areas/integration-syncs/jobs.ts'
import * as integrations from '../areas/integrations/jobs.ts'
import * as memories from '../areas/memories/jobs.ts'
import * as observability from '../areas/observability/jobs.ts'
import * as rmm_scripts from '../areas/rmm-scripts/jobs.ts'
import * as scheduled_work from '../areas/scheduled-work/jobs.ts'
import * as skills from '../areas/skills/jobs.ts'
import * as til_requests from '../areas/til-requests/jobs.ts'
import * as webhooks from '../areas/webhooks/jobs.ts'
import * as expired_rows from '../jobs/expired-rows.ts'
import type { Job } from '../jobs/job.ts'
import type { Loop } from '../jobs/loop.ts'
import * as rollups from '../jobs/rollups.ts'
import * as statistics from '../jobs/statistics.ts'
import * as tools from '../tools/jobs.ts'

const modules: readonly Readonly<Record<string, Job | Loop>>[] = [
  agents,
  api_keys,
  audit_log,
  billing,
  callbacks,
  channels,
  comms,
  company_links,
  dispatch,
  end_users,
  escalation,
  events,
  executions,
  feedback,
  inbox,
  integration_syncs,
  integrations,
  memories,
  observability,
  rmm_scripts,
  scheduled_work,
  skills,
  til_requests,
  webhooks,
  expired_rows,
  rollups,
  statistics,
  tools,
]

const declared = modules.flatMap((module) => Object.values(module))

const isLoop = (one: Job | Loop): one is Loop => 'interval_ms' in one

export const JOBS: readonly Job[] = declared.filter((one): one is Job => !isLoop(one))

export const LOOPS: readonly Loop[] = declared.filter(isLoop)
