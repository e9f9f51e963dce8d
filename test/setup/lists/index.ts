/** The sampler of every list, by the name of its operation. */
import { agents } from './agents.ts'
import { company_links, end_companies } from './companies.ts'
import { executions } from './executions.ts'
import { integration_requests, integrations } from './integrations.ts'
import { api_keys, tenant_users } from './people.ts'
import type { ListSampler } from './sampler.ts'

type Row = Record<string, unknown>

const samplers = {
  agents,
  api_keys,
  company_links,
  end_companies,
  executions,
  integration_requests,
  integrations,
  tenant_users,
}

export const SAMPLERS = samplers as unknown as Readonly<Record<string, ListSampler<Row>>>
