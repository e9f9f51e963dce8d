/** The contract's rules about the service, its envelopes and its states. */
import type { Row } from './row.ts'

const LINKS = 'areas/company-links'
const ROTATE = 'areas/api-keys/rotate.test.ts'
const FILTERS = 'areas/company-filters/filters.test.ts'
const ENVELOPE = 'GraphQL has an envelope of its own'

export const RESOURCES: readonly Row[] = [
  {
    rule: ['What the service does', 1],
    says: 'All data is scoped to the authenticated tenant and to the current environment',
    proofs: [
      ['isolation.test.ts', '%s answers with the caller’s rows, and with nobody else’s of the same ids'],
      ['isolation.test.ts', '%s of another tenant’s id, or another environment’s, answers as of no id'],
    ],
  },
  {
    rule: ['What the service does', 2],
    says: 'A CONVERSATIONAL agent consumes credits and produces no execution or hours-saved figures',
    operations: ['GET /performance/summary'],
    proofs: [['areas/performance/summary.test.ts', 'of CONVERSATIONAL agents is credits alone, and says so']],
  },
  {
    rule: ['What the service does', 3],
    says: 'Every tool call the tenant’s agents made, within the caller’s workflow access',
    operations: ['GET /audit-log'],
    proofs: [['areas/audit-log/list.test.ts', 'has the calls of the agents that the caller sees']],
  },
  {
    rule: ['What the service does', 4],
    says: 'A supervised run shows its plan before its first change and asks when a decision is open',
    operations: ['GET /til-requests'],
    proofs: [
      [
        'areas/til-requests/supervised.test.ts',
        'shows its plan before its first change, and each change waits',
      ],
      ['areas/til-requests/supervised.test.ts', 'waits for an answer, with which the run goes on'],
      ['areas/til-requests/read.test.ts', 'shows a plan, and a question with its options'],
    ],
  },
  {
    rule: ['What the service does', 5],
    says: 'Supervision can be switched on for one run or by the agent’s own setting',
    operations: ['POST /agents/{agent_id}/run-now'],
    proofs: [
      ['areas/agents/run-now.test.ts', 'switches the supervision of a live execution on, once, and warns'],
      [
        'areas/agents/run-now.test.ts',
        'of a supervised agent is supervised by the technicians whom the agent names',
      ],
      ['areas/til-requests/supervised.test.ts', 'that is supervised by its agent’s own setting waits too'],
      ['areas/til-requests/supervised.test.ts', 'is supervised in every run that a decision resumes'],
    ],
  },
  {
    rule: ['What the service does', 6],
    says: 'An execution may consist of several runs',
    operations: ['GET /executions/{execution_id}'],
    proofs: [['areas/executions/parts.test.ts', 'has its runs, the first one first']],
  },
  {
    rule: ['What the service does', 7],
    says: 'No provider cost is ever returned',
    operations: ['GET /observability/callback-funnel'],
    proofs: [
      ['no-provider-cost.test.ts', 'has no field and no argument named like cost in GraphQL', 'graphql'],
      ['no-provider-cost.test.ts', 'has no property and no parameter named like cost in OpenAPI', 'rest'],
    ],
  },
  {
    rule: ['Shared envelopes', 1],
    says: 'meta has request_id and timings_ms',
    proofs: [['gateway/rest.test.ts', 'says where the time went', 'rest']],
    one_interface: ENVELOPE,
  },
  {
    rule: ['Shared envelopes', 2],
    says: 'pagination: next_cursor (string or null, required) and has_more (boolean, required)',
    proofs: [
      ['lists.test.ts', 'is walked in the order %j, each row once', 'rest'],
      ['lists/nested.test.ts', 'is walked in its order, each row once', 'graphql'],
    ],
  },
  {
    rule: ['Shared envelopes', 3],
    says: 'warnings: non-fatal warnings about the created or updated resource',
    operations: ['POST /agents', 'PATCH /agents/{agent_id}'],
    proofs: [['areas/agents/rule-codes.test.ts', 'warn of %s: %s, %s']],
  },
  {
    rule: ['Shared envelopes', 4],
    says: 'error.code, error.message, error.details',
    proofs: [
      ['gateway/rest.test.ts', 'have the error envelope and nothing of the inside', 'rest'],
      ['gateway/graphql.test.ts', 'of access have the HTTP status, and no data', 'graphql'],
    ],
  },
  {
    rule: ['Shared envelopes', 5],
    says: 'meta.request_id of an error is the request’s',
    proofs: [
      ['gateway/rest.test.ts', 'give a client its own request id back, if it is a UUID', 'rest'],
      ['gateway/graphql.test.ts', 'carry the request id, and so does every answer', 'graphql'],
    ],
  },
  {
    rule: ['CompanyLink.link_state', 1],
    says: 'AUTO: confidence below 0.95 flags the row for review',
    operations: ['GET /company-links'],
    proofs: [[`${LINKS}/list.test.ts`, 'an AUTO link by %s of %d needs review: %j']],
  },
  {
    rule: ['CompanyLink.link_state', 2],
    says: 'A person maps the entity: MANUAL',
    operations: ['PUT /company-links'],
    proofs: [
      [`${LINKS}/map.test.ts`, 'makes it MANUAL, in the name of the caller'],
      [`${LINKS}/map.test.ts`, 'makes an AUTO link MANUAL with the company that it has'],
    ],
  },
  {
    rule: ['CompanyLink.link_state', 3],
    says: 'UNMAPPED is derived when there is no company; match_method is UNMATCHED',
    operations: ['PUT /company-links'],
    proofs: [[`${LINKS}/map.test.ts`, 'to null clears everything the mapping set']],
  },
  {
    rule: ['API key lifecycle', 1],
    says: 'The old key stays valid for 24 hours; the replacement’s secret is returned once',
    operations: ['POST /api-keys/{key_id}/rotate'],
    proofs: [
      [ROTATE, 'are rotated: the replacement is the same but for its secret, and both work for 24 hours'],
      ['areas/api-keys/list.test.ts', 'are read without their secret'],
    ],
  },
  {
    rule: ['API key lifecycle', 2],
    says: 'Revoked: takes effect immediately',
    operations: ['DELETE /api-keys/{key_id}'],
    proofs: [
      ['areas/api-keys/revoke.test.ts', 'are refused from the next request after their revocation on'],
    ],
  },
  {
    rule: ['Technician profile', 1],
    says: 'Soft-delete clears the profile and sets is_ready to false. The profile row remains',
    operations: ['DELETE /technicians/{profile_id}'],
    proofs: [
      [
        'areas/technicians/delete.test.ts',
        'clears the profile and the instructions, and leaves the row, not ready',
      ],
    ],
  },
  {
    rule: ['Technician profile', 2],
    says: 'It always needs technician approval',
    operations: ['DELETE /technicians/{profile_id}'],
    proofs: [
      ['areas/technicians/approval.test.ts', 'of %s, a deletion waits, whatever the permission group says'],
    ],
  },
  {
    rule: ['Company filters', 1],
    says: 'Widening-only: new companies are added at once, others only listed under removable',
    operations: ['PUT /company-filters'],
    proofs: [[FILTERS, 'widen the scope at once, and only list what no longer fits']],
  },
  {
    rule: ['Company filters', 2],
    says: 'They are removed by a separate operation',
    operations: ['POST /company-filters/remove-unmatched'],
    proofs: [
      ['areas/company-filters/remove-unmatched.test.ts', 'are removed all together, or those that are named'],
    ],
  },
  {
    rule: ['Common rules', 1],
    says: 'Unless stated otherwise an operation requires a Bearer credential: end-user feedback links have a signature',
    proofs: [
      ['access.test.ts', '%s'],
      ['areas/feedback/answers.test.ts', 'needs the link alone, whatever header comes with it'],
    ],
  },
  {
    rule: ['Common rules', 2],
    says: 'Path parameters are strings unless stated',
    proofs: [['openapi/document.test.ts', 'has path parameters that are strings', 'rest']],
    one_interface: 'GraphQL has no paths',
  },
  {
    rule: ['Common rules', 3],
    says: 'Request bodies are JSON (Content-Type: application/json)',
    proofs: [
      ['gateway/rest.test.ts', 'of type %j and encoding %j is 415', 'rest'],
      ['gateway/graphql.test.ts', 'of type %s is 415', 'graphql'],
    ],
  },
]
