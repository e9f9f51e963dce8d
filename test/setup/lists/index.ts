/** The sampler of every list, by the name of its operation. */
import { agent_revisions } from './agent-revisions.ts'
import { agents } from './agents.ts'
import { activity_log, audit_log, execution_tool_calls } from './audit-log.ts'
import { callback_matches, callbacks } from './callbacks.ts'
import { channel_installs, channel_messages, channels } from './channels.ts'
import { company_links, end_companies, unconfirmed_company_links } from './companies.ts'
import { end_users } from './end-users.ts'
import { execution_runs, execution_timeline } from './execution-parts.ts'
import { executions } from './executions.ts'
import { integration_requests, integration_syncs, integrations } from './integrations.ts'
import { memories } from './memories.ts'
import { api_keys, tenant_users } from './people.ts'
import { performance_by_agent } from './performance.ts'
import type { ListSampler } from './sampler.ts'
import { scheduled_work } from './scheduled-work.ts'
import { technician_schedules, technicians } from './technicians.ts'
import { execution_til_requests, til_requests } from './til-requests.ts'

type Row = Record<string, unknown>

const samplers = {
  agent_revisions,
  activity_log,
  agents,
  api_keys,
  audit_log,
  callback_matches,
  callbacks,
  channel_installs,
  channel_messages,
  channels,
  company_links,
  unconfirmed_company_links,
  end_companies,
  execution_tool_calls,
  execution_runs,
  execution_til_requests,
  execution_timeline,
  end_users,
  executions,
  integration_requests,
  integration_syncs,
  integrations,
  memories,
  performance_by_agent,
  technician_schedules,
  technicians,
  scheduled_work,
  tenant_users,
  til_requests,
}

export const SAMPLERS = samplers as unknown as Readonly<Record<string, ListSampler<Row>>>
