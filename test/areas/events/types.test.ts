/** The types of events, as callers know them: none of them ever goes, and none changes its severity. */
import { expect, it } from 'vitest'
import { declaredEvents } from '../../../src/schema/events/declare.ts'
import { published } from '../../setup/api.ts'

await published()

const TYPES: Readonly<Record<string, string>> = {
  agent: 'created updated activated paused archived',
  api_key: 'created rotated revoked expiring',
  billing: 'threshold_reached',
  callback: 'failed',
  channel: 'installed uninstalled error',
  company_filters: 'changed',
  company_link: 'needs_review mapped',
  dispatch: 'suggested applied overridden none_fits closed',
  end_company: 'created updated',
  escalation: 'opened notified acknowledged resolved',
  execution: 'created started waiting completed failed cancelled',
  feedback: 'submitted',
  integration: 'sync_finished disconnected healthy request_updated',
  memory: 'created superseded',
  rmm_script_run: 'finished',
  scheduled_work: 'created completed failed cancelled',
  settings: 'updated',
  skill: 'updated',
  til_request: 'created reassigned approved rejected answered expired cancelled',
  webhook_endpoint: 'disabled switched deleted test',
}

const CRITICAL =
  'execution.failed escalation.opened integration.disconnected channel.error webhook_endpoint.disabled'
const WARNING =
  'til_request.expired callback.failed scheduled_work.failed company_link.needs_review dispatch.none_fits ' +
  'api_key.expiring billing.threshold_reached'

const NOT_YET = /^channel\.(?:un)?installed$/

it('are these', () => {
  const types = Object.entries(TYPES).flatMap(([subject, events]) =>
    events.split(' ').map((event) => `${subject}.${event}`),
  )
  expect(declaredEvents().map(({ type }) => type)).toEqual(types.toSorted())
})

it('have these severities', () => {
  const of = (wanted: string) =>
    declaredEvents().flatMap(({ type, severity }) => (severity === wanted ? [type] : []))
  expect(of('CRITICAL')).toEqual(CRITICAL.split(' ').toSorted())
  expect(of('WARNING')).toEqual(WARNING.split(' ').toSorted())
})

it('are available, but for those of areas and things that are not built', () => {
  for (const { type, available } of declaredEvents())
    expect([type, available]).toEqual([type, !NOT_YET.test(type)])
})
