/** Which error codes an operation can answer with: its own, and those that follow from what it is. */
import type { Access } from '../access/policies.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
import type { Operation } from '../gateway/operation.ts'

/** A credential is judged wherever it is presented, also where none is needed. */
const ANY_CALL: readonly ErrorCode[] = [
  'bad_request',
  'invalid_credentials',
  'credentials_expired',
  'credentials_revoked',
  'environment_mismatch',
  'forbidden',
  'tenant_suspended',
  'acting_user_not_allowed',
  'ip_not_allowed',
  'rate_limited',
  'internal_error',
  'service_unavailable',
]

const FROM_ACCESS: Record<Access['kind'], readonly ErrorCode[]> = {
  anyone: [],
  caller: ['unauthenticated'],
  scope: ['unauthenticated', 'insufficient_scope'],
  role: ['unauthenticated', 'insufficient_scope'],
  dashboard: ['unauthenticated', 'dashboard_jwt_required'],
}

const FROM_BODY: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type']

const FROM_MUTATION: readonly ErrorCode[] = ['idempotency_in_progress', 'idempotency_key_reused']

const IDS = ['Id!', 'IntegerId!']

/** An id in the path is never wrong, only unknown; everything else can fail to fit. */
const canMisfit = ({ rest, field }: Operation): boolean =>
  field.args.some(({ name, type }) => !rest.path.includes(`{${name}}`) || !IDS.includes(String(type)))

/** Every code the operation can answer with over REST, in the order of the table of errors. */
export function codesOf(operation: Operation): ErrorCode[] {
  const { access, errors = [], field, kind, rest } = operation
  const takes = (argument: string) => field.args.some(({ name }) => name === argument)
  const codes = new Set<ErrorCode>([
    ...ANY_CALL,
    ...FROM_ACCESS[access.kind],
    ...(rest.path.includes('{') ? (['not_found'] as const) : []),
    ...(takes('cursor') ? (['invalid_cursor'] as const) : []),
    ...(takes('input') ? FROM_BODY : []),
    ...(canMisfit(operation) ? (['request_validation_failed'] as const) : []),
    ...(kind === 'mutation' ? FROM_MUTATION : []),
    ...errors,
  ])
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code))
}
