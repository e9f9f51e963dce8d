/** Bodies that the suite of things sent back writes first, by change; one without is sent back as it is stored. */
import fc from 'fast-check'
import { VALID } from '../setup/agent-bodies.ts'
import type { Arguments } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { type OwnRows, SYSTEM } from '../setup/samples.ts'
import { days, type Msp } from '../setup/world.ts'

export interface Shape {
  /** The operation that reads it, if that is not GET of the same path. */
  read?: string
  /** The arguments of that operation, if they are not those of the path. */
  args?: (rows: OwnRows) => Arguments
  /** Fields that the input refuses whatever their value. */
  read_only?: readonly string[]
  /** As it is stored it is none that the operation writes, so that it is written first. */
  written_first?: true
  bodies(msp: Msp, rows: OwnRows): fc.Arbitrary<object>
}

const some = <Model extends Record<string, fc.Arbitrary<unknown>>>(model: Model) =>
  fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<object>
const text = fc.constantFrom('A', '  Größe 9 “✓”  ', 'a\tb', '=1+1', '😀'.repeat(60))
const textOrNone = fc.option(text)
const hour = { min: 0, max: 9 }
const zone = fc.constantFrom('UTC', 'US/Eastern', 'Asia/Kolkata', 'Etc/GMT+5')
const clockTime = (minutes: number) => `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`

const windows = fc.uniqueArray(
  fc
    .record({
      day: fc.constantFrom('mon', 'TUE', 'Wednesday', 'SUNDAY', 'fri'),
      from: fc.integer({ min: 0, max: 719 }),
      until: fc.integer({ min: 720, max: 1440 }),
    })
    .map(({ day, from, until }) => ({ day, start_time: clockTime(from), end_time: clockTime(until) })),
  { maxLength: 4, selector: ({ day }) => day },
)

const settings = {
  custom_instructions: text,
  max_minutes: fc.integer({ min: 1, max: 240 }),
  confidence_threshold: fc.constantFrom(0, 0.1, 1),
}

const { AGENTIC } = VALID

const agent: Shape = {
  written_first: true,
  bodies: () =>
    fc
      .tuple(
        some(settings),
        some({
          name: fc.constantFrom('A', ' B '),
          description: textOrNone,
          toolbox: fc.constantFrom(null, {}, { tools: ['memory.save'] }),
          integrations: fc.constantFrom(null, { grants: [] }, { grants: [{ system: 'HUDU' }] }),
          schedule: fc.constantFrom(null, { cron: '0 7 * * 1', start_at: '2026-12-01T00:00:00+01:00' }),
          callback_settings: fc.constantFrom(null, AGENTIC.callback_settings),
          actions: fc.constantFrom(null, [], AGENTIC.actions),
          ticket_conditions: fc.constantFrom(null, AGENTIC.ticket_conditions),
          time_entry_conditions: fc.constantFrom(null, AGENTIC.time_entry_conditions),
        }),
      )
      .map(([agent_settings, body]) => ({ ...body, agent_settings })),
}

export const SHAPES: Readonly<Record<string, Shape>> = {
  replace_agent: agent,
  update_agent: agent,
  set_agent_shares: {
    bodies: ({ user, viewer }) =>
      fc
        .uniqueArray(
          fc.constantFrom(
            { user_id: user.id, can_edit: true },
            { user_id: user.id, can_edit: false },
            { user_id: viewer.id, can_edit: false },
          ),
          { selector: ({ user_id }) => user_id },
        )
        .map((shares) => ({ shares })),
  },
  update_billing_alerts: {
    written_first: true,
    bodies: () =>
      fc.record({ thresholds_pct: fc.array(fc.integer({ min: 1, max: 1000 }), { maxLength: 10 }) }),
  },
  connect_integration: {
    read: 'integration_connection',
    args: () => ({ name: 'connectwise-psa' }),
    bodies: () =>
      some({ connectwise_psa: some({ company: fc.constantFrom('a', 'b-1') }) })
        .filter((body) => 'connectwise_psa' in body)
        .map((body) => ({ ...body, poll_interval_seconds: 0 })),
  },
  replace_company_filters: {
    bodies: (_msp, { mark }) =>
      fc
        .subarray([{ field_name: 'type', selected_options: [{ id: 1, name: mark }] }])
        .map((filters) => ({ filters })),
  },
  map_company_link: {
    read: 'company_link',
    args: ({ ids }) => ({ system: SYSTEM, external_id: ids.external_id }),
    // A link of a sync becomes one of a person with the company that it has.
    written_first: true,
    bodies: (_msp, { ids, psa_company_id }) => {
      const link = { system: SYSTEM, external_id: ids.external_id }
      return fc.oneof(
        fc.constant({ ...link, psa_company_id: null }),
        some({ is_primary: fc.boolean() }).map((flags) => ({ ...link, psa_company_id, ...flags })),
      )
    },
  },
  update_settings: {
    read_only: ['data_residency', 'referral_code'],
    bodies: () =>
      some({
        start_business_hours: fc.integer(hour),
        end_business_hours: fc.integer({ min: 18, max: 24 }),
        human_friendly_client_name: text,
        sleep_before_callback_processing_seconds: fc.integer({ min: 0, max: 900 }),
        timezone: fc.option(zone),
      }),
  },
  replace_technician_schedule: {
    bodies: () => fc.record({ name: text, timezone: zone, windows }),
  },
  update_permission_group: {
    args: () => ({ name: 'TICKETS' }),
    bodies: (_msp, { ids }) =>
      some({
        requires_approval: fc.boolean(),
        approver_technician_ids: fc.subarray([Number(ids.profile_id)]),
      }),
  },
  update_api_key: {
    read_only: ['acting_user_id', 'allow_acting_user_header'],
    written_first: true,
    bodies: () =>
      fc.record({
        name: text,
        description: textOrNone,
        scopes: fc.subarray(['settings:write', 'settings:read', 'agents:run'], { minLength: 1 }),
        allowed_cidrs: fc.subarray(['127.0.0.0/8', '::1/128', '10.0.0.1/32']),
      }),
  },
  update_memory: {
    bodies: () =>
      some({
        category: fc.constantFrom('SEMANTIC', 'EPISODIC', 'PROCEDURAL'),
        audiences: fc.constantFrom(['ALL'], ['TECHNICIANS', 'DISPATCH']),
        confidence: fc.constantFrom(0, 0.1, 0.7, 1),
        evidence: textOrNone,
      }),
  },
  reschedule_work: {
    bodies: () =>
      some({
        scheduled_for: fc
          .integer({ min: 2, max: 300 })
          .map((count) => new Date(clock.now().getTime() + days(count) + count).toISOString()),
        additional_custom_instructions: textOrNone,
      }),
  },
  update_technician: {
    bodies: () =>
      some({
        profile: textOrNone,
        custom_instructions: textOrNone,
        update_automatically: fc.boolean(),
        skills: fc.subarray(['VPN', 'vpn', 'Größe', '“Backup”']),
      }),
  },
  update_channel: {
    bodies: () =>
      some({
        name: text,
        install_url: fc.constantFrom(null, 'https://msp.example', 'https://msp.example/app?x=%C3%B6'),
        branding: some({
          display_name: fc.constantFrom('Help', ' Größe '),
          accent_color: fc.constantFrom(null, '#0b6e99', '#0B6E99'),
          logo_url: fc.constantFrom(null, 'https://msp.example/logo.svg'),
        }),
      }),
  },
}
