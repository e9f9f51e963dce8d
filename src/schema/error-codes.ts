/** The error codes of an operation: its own, and those that follow from its options and arguments. */
import { CREDENTIAL_KINDS } from '../access/credentials/credential-kinds.ts'
import type { Access } from '../access/policies/policies.ts'
import { ERRORS, type ErrorCode } from '../errors/errors.ts'
import type { Operation } from '../gateway/operation.ts'

/** The codes of every operation. A credential is authenticated even if none is needed. */
export const ANY_CALL: readonly ErrorCode[] = [
  'bad_request',
  ...CREDENTIAL_KINDS.flatMap(({ errors }) => errors),
  'rate_limited',
  'response_too_large',
  'internal_error',
  'service_unavailable',
]

/** The refusals of callers who may not call. */
function fromAccess(access: Access): readonly ErrorCode[] {
  if (access.kind === 'anyone') return []
  if (access.kind === 'signed') return ['invalid_signature', 'signature_expired']
  if (access.kind === 'only') return ['unauthenticated', access.others]
  return ['unauthenticated', ...CREDENTIAL_KINDS.flatMap((kind) => kind.errorsOf(access))]
}

const FROM_BODY: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type']

const FROM_MUTATION: readonly ErrorCode[] = ['idempotency_in_progress', 'idempotency_key_reused']

const IDS = ['ID!', 'Int!']

/** An id in the path is never wrong, only unknown; everything else can fail to fit. */
const canMisfit = ({ rest, field }: Operation): boolean =>
  field.args.some(({ name, type }) => !rest.path.includes(`{${name}}`) || !IDS.includes(String(type)))

/** Every code the operation can answer with over REST, in the order of the table of errors. */
export function codesOf(operation: Operation): ErrorCode[] {
  const { access, approval, errors = [], field, kind, rest } = operation
  const takes = (argument: string) => field.args.some(({ name }) => name === argument)
  const codes = new Set<ErrorCode>([
    ...ANY_CALL,
    ...fromAccess(access),
    ...(rest.path.includes('{') ? (['not_found'] as const) : []),
    ...(takes('cursor') ? (['invalid_cursor'] as const) : []),
    ...(takes('input') ? FROM_BODY : []),
    ...(canMisfit(operation) ? (['request_validation_failed'] as const) : []),
    ...(kind === 'mutation' ? FROM_MUTATION : []),
    ...(approval ? (['approval_required'] as const) : []),
    ...(errors.includes('upstream_unavailable') ? (['not_supported_by_system'] as const) : []),
    ...errors,
  ])
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code))
}
