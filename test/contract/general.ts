/** The rules of agent writes, of credentials, errors, limits and versions. */
import type { Row } from './row.ts'

const RULE_CODES = 'areas/agents/rule-codes.test.ts'
const UPDATE = 'areas/agents/update.test.ts'
const WRITES = ['POST /agents', 'PUT /agents/{agent_id}', 'PATCH /agents/{agent_id}']
const NOT_SEEN = 'are not there if the caller does not see them, of another tenant or environment, or missing'

export const GENERAL: readonly Row[] = [
  {
    rule: ['Agent write rules', 1],
    says: 'The config objects are top-level siblings and never children of one another',
    operations: WRITES,
    proofs: [
      ['areas/schemas/agents.test.ts', 'says which bodies take each config object'],
      [RULE_CODES, 'are refused with %s: %s, %s'],
    ],
  },
  {
    rule: ['Agent write rules', 2],
    says: 'agent_settings_edits on PUT and PATCH only; no actions in a chat, no toolbox in a chain',
    operations: WRITES,
    proofs: [
      ['areas/schemas/agents.test.ts', 'says which bodies take each config object'],
      [UPDATE, 'settings by edits, and remembers what was merged'],
      [RULE_CODES, 'warn of %s: %s, %s'],
    ],
  },
  {
    rule: ['Agent write rules', 3],
    says: 'A field the schema does not declare is ignored, not rejected',
    operations: WRITES,
    proofs: [[UPDATE, 'nothing if fields are not the agent’s: they are named', 'rest']],
    one_interface: 'GraphQL has no undeclared fields',
  },
  {
    rule: ['Agent write rules', 4],
    says: 'A tool that reaches an agent only at run time is dropped, and the rest of the write succeeds',
    operations: [...WRITES, 'GET /schemas/tools'],
    proofs: [
      ['areas/agents/create.test.ts', 'keeps of its tools those that can be requested'],
      ['areas/schemas/tools.test.ts', 'are of every tool that is not of run time, by name'],
      ['areas/schemas/tools.test.ts', 'say of a tool what it takes, and how it is granted'],
    ],
  },
  {
    rule: ['Agent write rules', 5],
    says: 'A config object inside another: 400 validation_error that names the field and the depth',
    operations: WRITES,
    proofs: [[RULE_CODES, 'are refused with %s: %s, %s', 'rest']],
    one_interface: 'GraphQL has no such fields to nest',
  },
  {
    rule: ['Agent write rules', 6],
    says: 'The update response is a lean summary (id, name, state, timestamps) with no config',
    operations: ['PUT /agents/{agent_id}', 'PATCH /agents/{agent_id}'],
    proofs: [[UPDATE, 'the fields that are given, and answers with a summary']],
  },
  {
    rule: ['Other operations', 1],
    says: 'Each request carries initiating_temporal_run_id, the run that raised it',
    operations: ['GET /til-requests'],
    proofs: [
      [
        'areas/til-requests/read.test.ts',
        'answers every field, alone, in the list and in that of its execution',
      ],
    ],
  },
  {
    rule: ['Other operations', 2],
    says: 'Only the requests that run raised; none of runs from before 12 August 2026',
    operations: ['GET /executions/{execution_id}/til-requests'],
    proofs: [
      [
        'areas/til-requests/list.test.ts',
        'of an execution are only its own, and none if it is from before 12 August 2026',
      ],
    ],
  },
  {
    rule: ['Other operations', 3],
    says: 'run-now takes supervised_run',
    operations: ['POST /agents/{agent_id}/run-now'],
    proofs: [
      ['areas/agents/run-now.test.ts', 'switches the supervision of a live execution on, once, and warns'],
    ],
  },
  {
    rule: ['Other operations', 4],
    says: 'It returns execution_id when it reaches a run already live on the ticket',
    operations: ['POST /agents/{agent_id}/run-now'],
    proofs: [
      ['areas/agents/run-now.test.ts', 'reaches the execution that is %s on the ticket, whatever started it'],
    ],
  },
  {
    rule: ['Other operations', 5],
    says: 'Documentation storage allowance',
    operations: ['GET /documentation/quota'],
    proofs: [
      [
        'areas/documentation.test.ts',
        'of a tenant that stores nothing is the default allowance, which is the model’s',
      ],
    ],
  },
  {
    rule: ['Authentication', 1],
    says: 'Missing or invalid credentials give 401. Authenticated but not allowed gives 403',
    proofs: [
      ['access.test.ts', '%s'],
      ['gateway/credentials.test.ts', 'such as %.40s is 401'],
    ],
  },
  {
    rule: ['Authentication', 2],
    says: 'API key management accepts an admin dashboard JWT only',
    operations: ['POST /api-keys/{key_id}/rotate', 'DELETE /api-keys/{key_id}'],
    proofs: [['access.test.ts', '%s']],
  },
  {
    rule: ['Authentication', 3],
    says: 'OWNER and ADMIN see every agent, USER and VIEWER those they created or were shared',
    operations: ['GET /agents'],
    proofs: [
      ['areas/agents/visibility.test.ts', 'are seen by role, and by a key in the role of its acting user'],
    ],
  },
  {
    rule: ['Authentication', 4],
    says: 'An agent the acting user may not view is answered as not found',
    operations: ['GET /agents/{agent_id}'],
    proofs: [['areas/agents/visibility.test.ts', NOT_SEEN]],
  },
  {
    rule: ['Authentication', 5],
    says: 'The rotated key’s plaintext secret appears only once, in the rotation response',
    operations: ['POST /api-keys/{key_id}/rotate'],
    proofs: [['areas/api-keys/list.test.ts', 'are read without their secret']],
  },
  {
    rule: ['Authentication', 6],
    says: 'Some operations called through the API-request channel need technician approval',
    operations: ['PUT /technician-schedules/{schedule_id}', 'DELETE /technicians/{profile_id}'],
    proofs: [
      [
        'areas/til-requests/approved-calls.test.ts',
        'is made as the technician who approved it, for who asked',
      ],
      ['areas/technicians/approval.test.ts', 'of %s, a deletion waits, whatever the permission group says'],
      ['areas/technicians/approval.test.ts', 'of %s, a replacement waits, unless the group turns that off'],
    ],
  },
  {
    rule: ['Errors', 1],
    says: 'Every error has the error envelope; error.code is stable',
    proofs: [
      ['gateway/fuzz/operations.test.ts', '%s over REST, the answer is one of the published ones', 'rest'],
      [
        'gateway/fuzz/operations.test.ts',
        '%s by GraphQL, it is an answer or an error of the table',
        'graphql',
      ],
    ],
  },
  {
    rule: ['Errors', 2],
    says: 'A 400 on agent writes carries details.field_errors[], with codes of the schema of agents',
    operations: [...WRITES, 'GET /schemas/agents'],
    proofs: [[RULE_CODES, 'are refused with %s: %s, %s']],
  },
  {
    rule: ['Errors', 3],
    says: 'A timezone that cannot be loaded gives 400',
    operations: ['PUT /settings', 'PUT /technician-schedules/{schedule_id}'],
    proofs: [
      ['areas/settings.test.ts', 'refuse the time zone %j with 400'],
      [
        'areas/technicians/schedules.test.ts',
        'with a zone that is none is refused with 400, and its stored zone is always accepted again',
      ],
    ],
  },
  {
    rule: ['Limits', 1],
    says: 'Integration requests: 5 per tenant in any 7 days',
    operations: ['POST /integrations/requests'],
    proofs: [
      [
        'areas/integrations/request.test.ts',
        'is the sixth of a tenant in seven days: refused until the oldest leaves the window',
      ],
      ['areas/integrations/request.test.ts', 'does not count what is exactly seven days old or older'],
    ],
  },
  {
    rule: ['Limits', 2],
    says: 'End-user ticket reads: 30 requests a minute per user',
    operations: ['GET /end-user/tickets'],
    proofs: [
      ['areas/end-users/calls.test.ts', 'the thirty-first is 429, until the first is a minute old', 'rest'],
    ],
    one_interface: 'the token of the tab is for this route alone',
  },
  {
    rule: ['Limits', 3],
    says: 'Page size: 1 to 200, default 50',
    operations: ['GET /company-links', 'GET /scheduled-work'],
    proofs: [
      ['areas/company-links/list.test.ts', 'take the page size %d'],
      ['lists.test.ts', 'has 50 items on a page, or 1 to 200', 'rest'],
    ],
  },
  {
    rule: ['Limits', 4],
    says: 'Funnel window: default 24 hours, maximum 7 days',
    operations: ['GET /observability/callback-funnel'],
    proofs: [
      ['areas/observability/funnel.test.ts', 'takes seven days, and the ends of time'],
      ['areas/observability/funnel.test.ts', 'of %j is refused with 400 %s'],
    ],
  },
  {
    rule: ['Limits', 5],
    says: 'Key overlap: 24 hours',
    operations: ['POST /api-keys/{key_id}/rotate'],
    proofs: [
      [
        'areas/api-keys/rotate.test.ts',
        'are rotated: the replacement is the same but for its secret, and both work for 24 hours',
      ],
    ],
  },
  {
    rule: ['Limits', 6],
    says: 'Audit window: last 30 days',
    operations: ['GET /audit-log'],
    proofs: [['areas/audit-log/list.test.ts', 'reaches 30 days back, and says so if more is asked for']],
  },
  {
    rule: ['Limits', 7],
    says: 'Ticket counts: current and at least the previous calendar month',
    operations: ['GET /performance/summary'],
    proofs: [
      [
        'areas/performance/summary-window.test.ts',
        'takes a start of any age, and says from when on executions, credits and tickets are kept',
      ],
    ],
  },
  {
    rule: ['Limits', 8],
    says: 'AUTO links below 0.95 are flagged',
    operations: ['GET /company-links'],
    proofs: [['areas/company-links/list.test.ts', 'an AUTO link by %s of %d needs review: %j']],
  },
  {
    rule: ['Versioning', 1],
    says: 'The machine-readable description is OpenAPI 3.1.0 and the API version is 1.0.0',
    proofs: [['openapi/served.test.ts', 'is there for anyone, and may be kept', 'rest']],
    one_interface: 'GraphQL describes itself',
  },
  {
    rule: ['Versioning', 2],
    says: 'All paths carry the /public-api prefix; no version segment appears in paths',
    proofs: [['published.test.ts', '%s has the methods that are described', 'rest']],
    one_interface: 'GraphQL has one path',
  },
  {
    rule: ['Versioning', 3],
    says: 'rules[].code values and error.code values are stable identifiers',
    proofs: [
      [
        'areas/schemas.test.ts',
        'list every error code to anyone, with its one status and what to do about it',
      ],
      [RULE_CODES, 'have a case of every code that the schema of agents lists'],
    ],
  },
]
