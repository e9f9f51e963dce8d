import { describe, expect, test } from 'vitest'
import { anyCaller, anyone, dashboardAdmins, scope } from '../../src/access/policies/policies.ts'
import { ERRORS } from '../../src/errors/errors.ts'
import type { Operation } from '../../src/gateway/operation.ts'
import { codesOf } from '../../src/schema/error-codes.ts'
import { builtSchemas } from '../setup/app.ts'

const { operations } = builtSchemas()

function named(name: string): Operation {
  const operation = operations.find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`There is no operation ${name}`)
  return operation
}

const settings = named('settings')

describe('the codes of an operation', () => {
  test.each([
    [anyone, []],
    [anyCaller, ['unauthenticated']],
    [scope('settings:read'), ['unauthenticated', 'insufficient_scope']],
    [dashboardAdmins, ['unauthenticated', 'dashboard_jwt_required']],
  ])('follow from its access %o', (access, expected) => {
    const codes = codesOf({ ...settings, access })
    const fromAccess = ['unauthenticated', 'insufficient_scope', 'dashboard_jwt_required']
    expect(codes.filter((code) => fromAccess.includes(code))).toEqual(expected)
    expect(codes).toContain('invalid_credentials')
  })

  test('of one without arguments have nothing that is wrong with input; any answer may be too large', () => {
    const codes = codesOf(settings).filter((code) => ERRORS[code].status === 422)
    expect(codes).toEqual(['response_too_large'])
  })

  test('of one with a body tell what can be wrong with a body', () => {
    const codes = codesOf(named('update_settings'))
    expect(codes).toEqual(expect.arrayContaining(['payload_too_large', 'unsupported_media_type']))
    expect(codes).toContain('request_validation_failed')
  })

  test('of a change tell what can be wrong with Idempotency-Key', () => {
    const codes = codesOf(named('update_settings'))
    expect(codes).toEqual(expect.arrayContaining(['idempotency_in_progress', 'idempotency_key_reused']))
  })

  test('of all operations are all there are, but for those that come before an operation is found, or without', () => {
    const before = ['not_found', 'method_not_allowed', 'graphql_parse_failed', 'graphql_validation_failed']
    const of_signed_urls = ['invalid_signature', 'signature_expired']
    const of_subscriptions = ['access_changed', 'subscriber_too_slow']
    const of_documents = ['query_too_complex', 'PERSISTED_QUERY_NOT_SUPPORTED']
    const of_events = ['events_not_stored']
    const others = [...before, ...of_events, ...of_signed_urls, ...of_subscriptions, ...of_documents]
    const waiting = codesOf({ ...settings, approval: { group: 'TICKETS', can_be_turned_off: true } })
    const answered = new Set<string>([...operations.flatMap(codesOf), ...waiting, ...others])
    expect(Object.keys(ERRORS).filter((code) => !answered.has(code))).toEqual([])
  })

  test('include its own, once, in the order of the table of errors', () => {
    for (const operation of operations) {
      const codes = codesOf(operation)
      expect(codes).toEqual(expect.arrayContaining([...(operation.errors ?? [])]))
      expect(codes).toEqual(Object.keys(ERRORS).filter((code) => (codes as string[]).includes(code)))
    }
  })
})
