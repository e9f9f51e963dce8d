/** The sections of the contract that state rules, and how many each has. */
export const SECTIONS = {
  'What the service does': 7,
  'Shared envelopes': 5,
  'CompanyLink.link_state': 3,
  'API key lifecycle': 2,
  'Technician profile': 2,
  'Company filters': 2,
  'Common rules': 3,
  'GET /company-links': 4,
  'POST /api-keys/{key_id}/rotate': 1,
  'DELETE /api-keys/{key_id}': 1,
  'POST /integrations/requests': 3,
  'PUT /settings': 5,
  'PUT /technician-schedules/{schedule_id}': 2,
  'GET /schemas/agents': 2,
  'GET /scheduled-work': 6,
  'GET /performance/summary': 4,
  'GET /executions/{execution_id}': 2,
  'GET /integrations/chat-app': 1,
  'GET /integrations/{name}': 2,
  'GET /end-user/tickets': 6,
  'GET /observability/callback-funnel': 3,
  'Agent write rules': 6,
  'Other operations': 5,
  Authentication: 6,
  Errors: 3,
  Limits: 8,
  Versioning: 3,
} as const

/** The functional areas of the API. */
export const AREAS = [
  'Meta',
  'Agents',
  'Executions',
  'Audit Log',
  'Callbacks',
  'TIL requests',
  'RMM scripts',
  'Dispatch',
  'Tenant',
  'Schemas',
  'Escalation',
  'Settings',
  'API keys',
  'Feedback',
  'End companies',
  'Channels',
  'Integrations',
  'Technicians',
  'Scheduled work',
  'Billing',
  'Inbox & Comms',
  'Skills',
  'Observability',
  'Memories',
  'Performance',
  'End users',
]

/** The statuses that operations answer with. */
export const STATUSES = [200, 400, 401, 403, 404, 409, 422, 429, 500] as const

/** The error codes that the contract gives, with their statuses. */
export const CODES = {
  validation_error: 400,
  unknown_integration: 404,
  rate_limited: 429,
  channel_not_found: 404,
  end_company_not_mapped: 409,
} as const

/** The enumerations of which the contract gives every value: their names in the schema, and the values. */
export const ENUMERATIONS = {
  AutonomyType: ['AGENTIC', 'CHAINED_ACTIONS', 'CONVERSATIONAL'],
  CompanyLinkStatusFilter: ['all', 'mapped', 'unmapped', 'manual'],
  IntegrationAccess: ['READ_ONLY', 'READ_WRITE'],
  LinkState: ['AUTO', 'MANUAL', 'UNMAPPED'],
  MatchMethod: [
    'NATIVE_ADAPTER',
    'DOMAIN',
    'EXACT_NAME',
    'FUZZY',
    'LLM',
    'ASSET_OVERLAP',
    'LEARNED_MANUAL',
    'MANUAL',
    'UNMATCHED',
  ],
  ScheduledWorkStatus: ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELLED'],
  TenantRole: ['OWNER', 'ADMIN', 'USER', 'VIEWER'],
} as const

/** The enumerations of which the contract gives some values. */
export const VALUES = {
  EndUserTicketState: ['OK', 'NO_CONTACT'],
  ExecutionStatus: ['NEW'],
  IntegrationCategory: ['PSA'],
  MemoryAudience: ['ALL'],
  MemoryCategory: ['SEMANTIC'],
  MemoryCreator: ['SYNC_PSA_DISCOVERY'],
  MemoryDerivation: ['STRUCTURAL'],
  MemoryScopeType: ['CLIENT'],
  ProfileStatus: ['PENDING'],
  SyncStatus: ['RUNNING'],
} as const

/** The number of integrations whose links are listed. */
export const SYSTEMS = 38
