import { isEnumType } from 'graphql'
import { expect, it } from 'vitest'
import { operationId } from '../../src/gateway/operation-id.ts'
import { describeApi, published } from '../setup/api.ts'
import { request } from '../setup/http.ts'
import { schemaValidator } from '../setup/openapi.ts'
import { AREAS } from '../setup/suites/areas.ts'
import { world } from '../setup/world.ts'

/** The codes of no area, with the one status that callers know each by. Neither ever changes. */
const GENERAL: Readonly<Record<number, string>> = {
  400: `bad_request invalid_cursor invalid_timezone invalid_window window_too_large graphql_parse_failed
    graphql_validation_failed query_too_complex PERSISTED_QUERY_NOT_SUPPORTED`,
  401: `unauthenticated invalid_credentials credentials_expired credentials_revoked environment_mismatch
    invalid_signature signature_expired`,
  403: `forbidden tenant_suspended insufficient_scope dashboard_jwt_required acting_user_not_allowed
    ip_not_allowed access_changed`,
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'not_supported_by_system approval_required version_conflict idempotency_in_progress',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'request_validation_failed read_only_field idempotency_key_reused response_too_large',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'service_unavailable upstream_unavailable subscriber_too_slow',
}

/** The codes after which the same request may succeed. */
const RETRYABLE = [
  'idempotency_in_progress',
  'rate_limited',
  'events_not_stored',
  'internal_error',
  'service_unavailable',
  'upstream_unavailable',
  'device_offline',
  'subscriber_too_slow',
]

/** Operations that need none, or a signed URL instead. */
const WITHOUT_A_CREDENTIAL = ['health', 'error_codes', 'enum_catalog', 'feedback_form', 'submit_feedback']

/** Of codes that few operations answer with, these operations. */
const ANSWERED_BY: Record<string, readonly string[]> = {
  unknown_integration: [
    'cancel_integration_sync',
    'connect_integration',
    'disconnect_integration',
    'integration',
    'integration_connection',
    'integration_sync',
    'integration_syncs',
    'put_integration_customers',
    'sync_integration',
    'test_integration',
  ],
  execution_not_found: [
    'cancel_execution',
    'create_feedback_link',
    'retry_execution',
    'execution',
    'execution_rmm_script_runs',
    'execution_runs',
    'execution_til_requests',
    'execution_timeline',
    'execution_tool_calls',
  ],
  callback_not_found: ['callback', 'callback_matches', 'reprocess_callback'],
  end_company_not_found: ['end_company', 'map_workplace_tenant', 'unmap_workplace_tenant'],
  psa_company_not_found: ['map_company_link'],
  agent_not_conversational: ['create_channel', 'post_channel_message', 'resume_channel', 'update_channel'],
  channel_already_bound: ['create_channel'],
  channel_not_active: [
    'update_channel',
    'pause_channel',
    'test_channel',
    'post_channel_message',
    'send_comms_message',
    'retry_comms_message',
  ],
  channel_not_paused: ['resume_channel'],
  company_link_unmapped: ['confirm_company_links'],
  invalid_timezone: ['update_settings', 'create_technician_schedule', 'replace_technician_schedule'],
  technician_not_found: ['technician', 'technician_availability', 'update_technician', 'delete_technician'],
  technician_has_open_approvals: ['delete_technician'],
  schedule_name_taken: ['create_technician_schedule', 'replace_technician_schedule'],
  schedule_windows_overlap: ['create_technician_schedule', 'replace_technician_schedule'],
  schedule_in_use: ['delete_technician_schedule'],
  approval_required: [
    'update_rmm_script',
    'create_technician',
    'update_technician',
    'delete_technician',
    'create_technician_schedule',
    'replace_technician_schedule',
    'delete_technician_schedule',
    'assign_schedule_technicians',
    'update_permission_group',
    'set_user_role',
    'link_user_technician',
    'approve_til_request',
    'reject_til_request',
    'answer_til_request',
    'reassign_til_request',
  ],
  business_hours_order: ['update_settings'],
  read_only_field: ['update_api_key', 'update_settings', 'update_skill'],
  last_owner: ['set_user_role'],
  technician_already_linked: ['link_user_technician'],
  integration_exists: ['request_integration'],
  secret_already_issued: [
    'create_api_key',
    'rotate_api_key',
    'create_webhook_endpoint',
    'rotate_webhook_endpoint_secret',
  ],
  api_key_already_rotated: ['rotate_api_key'],
  api_key_limit_reached: ['create_api_key'],
  api_key_name_taken: ['create_api_key', 'update_api_key'],
  dashboard_jwt_required: [
    'api_keys',
    'api_key',
    'api_key_scopes',
    'api_key_usage',
    'create_api_key',
    'update_api_key',
    'rotate_api_key',
    'revoke_api_key',
    'set_user_role',
    'link_user_technician',
    'update_billing_alerts',
    'integration_connection',
    'connect_integration',
    'disconnect_integration',
    'test_integration',
  ],
}

interface Entry {
  code: string
  status: number
  meaning: string
  retryable: boolean
  fix: string
  details_schema: { required?: string[] }
  operations: string[]
}

interface Enumeration {
  name: string
  description: string
  values: { value: string; description: string }[]
}

describeApi('schemas', (api) => {
  it('list every error code to anyone, with its one status and what to do about it', async () => {
    const { data } = await api.call(null, 'error_codes')
    const entries: Entry[] = data
    const stated = [GENERAL, ...Object.values(AREAS).map(({ error_codes = {} }) => error_codes)].flatMap(
      (of) =>
        Object.entries(of).flatMap(([status, codes]) =>
          codes.split(/\s+/).map((code) => `${code} ${status} ${RETRYABLE.includes(code)}`),
        ),
    )
    const listed = entries.map(({ code, status, retryable }) => `${code} ${status} ${retryable}`)
    const unstated = listed.filter((one) => !stated.includes(one))
    const message = `error_codes in test/areas/<area>/suites.ts of their area lacks ${unstated.join(', ')}`
    expect(unstated, message).toEqual([])
    expect(listed.sort()).toEqual(stated.sort())
    for (const { code, meaning, fix } of entries) {
      expect(
        [code, meaning, fix].every((text) => text !== ''),
        code,
      ).toBe(true)
    }
  })

  it('list with an error code the schema of its details, to which it answers', async () => {
    const { data } = await api.call(null, 'error_codes')
    const schemas = new Map((data as Entry[]).map((entry) => [entry.code, entry.details_schema]))
    const { error } = await api.call((await world()).admin, 'agent', { agent_id: 1_000_000 })
    const ajv = schemaValidator({})
    expect(ajv.validate(schemas.get('agent_not_found') ?? false, error?.details)).toBe(true)
    expect(ajv.validate(schemas.get('version_conflict') ?? false, error?.details)).toBe(false)
    expect(ajv.validate(schemas.get('agent_not_found') ?? false, { ...error?.details, id: 7 })).toBe(false)
    for (const [code, schema] of schemas) expect(schema?.required, code).toContain('docs_url')
  })

  it('list with an error code the operations that can answer with it', async () => {
    const { data } = await api.call(null, 'error_codes')
    const byCode = new Map((data as Entry[]).map((entry) => [entry.code, entry.operations.toSorted()]))
    const { operations } = await published()
    const idsOf = (fields: readonly string[]) =>
      operations
        .filter(({ name }) => fields.includes(name))
        .map(operationId)
        .sort()
    for (const [code, fields] of Object.entries(ANSWERED_BY)) {
      expect(byCode.get(code), code).toEqual(idsOf(fields))
    }
    expect(byCode.get('callback_not_found')).toEqual([
      'get_callback',
      'list_callback_matches',
      'reprocess_callback',
    ])
    const fields = operations.map(({ name }) => name)
    const all = idsOf(fields)
    for (const code of ['rate_limited', 'internal_error', 'invalid_credentials', 'bad_request']) {
      expect(byCode.get(code), code).toEqual(all)
    }
    expect(byCode.get('unauthenticated')).toEqual(
      idsOf(fields.filter((name) => !WITHOUT_A_CREDENTIAL.includes(name))),
    )
  })

  it('list every enumeration to anyone, with its values', async () => {
    const { data } = await api.call(null, 'enum_catalog')
    const { schema } = await published()
    const enums = Object.values(schema.getTypeMap()).filter(isEnumType)
    const own = enums.filter(({ name }) => !name.startsWith('__'))
    expect(data.map(({ name }: Enumeration) => name)).toEqual(own.map(({ name }) => name).toSorted())
    const systems = data.find(({ name }: Enumeration) => name === 'CompanyLinkSystem')
    expect(systems.values).toHaveLength(38)
    expect(systems.values).toContainEqual({ value: 'OKTA', description: 'Okta (IDENTITY_PROVIDER).' })
  })

  it('describe every enumeration and every value of it', async () => {
    const { data } = await api.call(null, 'enum_catalog')
    const undescribed = (data as Enumeration[]).flatMap(({ name, description, values }) => [
      ...(description === '' ? [name] : []),
      ...values.filter((each) => each.description === '').map(({ value }) => `${name}.${value}`),
    ])
    expect(undescribed).toEqual([])
  })
})

it.each(['/public-api/schemas/error-codes', '/public-api/schemas/enums'])(
  '%s may be kept for five minutes and is not sent again unchanged',
  async (path) => {
    const msp = await world()
    const first = await request(path)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{22}"$/)
    expect(first.headers.get('cache-control')).toBe('private, max-age=300')
    const again = await request(path, { headers: { 'if-none-match': etag } }, msp.key)
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect(again.headers.get('etag')).toBe(etag)
    expect(again.headers.get('cache-control')).toBe('private, max-age=300')
    const other = await request(path, { headers: { 'if-none-match': '"another"' } })
    expect(other.status).toBe(200)
  },
)
