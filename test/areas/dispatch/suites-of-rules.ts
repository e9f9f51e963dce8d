/** Cases of the settings and rules of dispatch, for the suites of all operations. */
import fc from 'fast-check'
import type { DispatchRule } from '../../../src/db/generated/client/client.ts'
import { clock } from '../../setup/app.ts'
import { addDispatchRules } from '../../setup/dispatch.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { at, instant, type ListSampler } from '../../setup/suites/sampler.ts'
import { some, text } from '../../setup/suites/sent-back.ts'

const dispatch_rules: ListSampler<DispatchRule> = {
  async add(msp, numbers) {
    await addDispatchRules(
      msp,
      numbers.map((n) => ({ id: n + 1, position: at([20, 0, 1000, 10], n), created_at: instant(n) })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.dispatchRule.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.dispatchRule.deleteMany({ where: { tenant_id, id: Number(id) } })
  },
  id: 'id',
  orders: { '': [{ value: ({ position }) => position }, { value: ({ id }) => id }] },
  filters: {},
  steady: 'a tenant has a rule for each pool of technicians',
}

const rule_id = from('dispatch_rules', 'id')

const CONDITIONS = {
  match: 'ANY',
  rules: [
    { field: 'board', operator: 'in', value: ['Network', 'Größe 9'] },
    { field: 'is_vip', operator: 'equals', value: true },
    { field: 'contact', operator: 'is_empty' },
  ],
}

export const RULES = {
  who_may: {
    dispatch_settings: { scope: 'dispatch:read' },
    update_dispatch_settings: { scope: 'dispatch:write' },
    dispatch_rules: { scope: 'dispatch:read' },
    dispatch_rule: { scope: 'dispatch:read' },
    create_dispatch_rule: { scope: 'dispatch:write' },
    update_dispatch_rule: { scope: 'dispatch:write' },
    delete_dispatch_rule: { scope: 'dispatch:write' },
  },
  reads: {
    dispatch_settings: {},
    dispatch_rules: { page_size },
    dispatch_rule: { rule_id },
  },
  writes: {
    update_dispatch_settings: {
      input: {
        enabled: true,
        mode: 'SUGGEST',
        max_open_tickets_per_technician: 10,
        fallback_technician_id: 1,
      },
    },
    create_dispatch_rule: {
      input: {
        name: 'Network outages',
        position: 5,
        conditions: {
          match: 'ALL',
          rules: [
            { field: 'board', operator: 'equals', value: 'Network' },
            { field: 'priority', operator: 'in', value: ['High', 'Critical'] },
          ],
        },
        candidate_technician_ids: [1, 2],
        required_skills: ['Firewalls'],
      },
    },
    update_dispatch_rule: { rule_id, input: { position: 15, required_skills: ['Firewalls', 'VPN'] } },
    delete_dispatch_rule: { rule_id },
  },
  async own_rows(msp, { id_number, mark, number }) {
    const { database, tenant_id, environment } = msp
    await addDispatchRules(msp, [{ id: id_number, name: mark, required_skills: [mark] }])
    const settings = { fallback_technician_id: number, updated_at: clock.now() }
    await database.prisma.dispatchSettings.upsert({
      where: { tenant_id_environment: { tenant_id, environment } },
      create: { tenant_id, environment, ...settings },
      update: settings,
    })
    return { rule_id: id_number }
  },
  shown_by: { dispatch_settings: 'number' },
  lists: { dispatch_rules },
  channel_writes: {
    update_dispatch_settings: 'runs at once',
    create_dispatch_rule: 'runs at once',
    update_dispatch_rule: 'runs at once',
    delete_dispatch_rule: 'runs at once',
  },
  fetched_again: {
    create_dispatch_rule: ['dispatch_rules'],
    delete_dispatch_rule: ['dispatch_rules'],
  },
  sent_back: {
    update_dispatch_settings: {
      bodies: () =>
        some({
          enabled: fc.boolean(),
          mode: fc.constantFrom('SUGGEST', 'AUTO'),
          strategy: fc.constantFrom('BEST_FIT', 'ROUND_ROBIN'),
          respect_schedules: fc.boolean(),
          max_open_tickets_per_technician: fc.constantFrom(null, 1, 500),
          only_ready_technicians: fc.boolean(),
          fallback_technician_id: fc.constant(null),
        }),
    },
    update_dispatch_rule: {
      bodies: () =>
        some({
          name: text,
          position: fc.integer({ min: 0, max: 1000 }),
          enabled: fc.boolean(),
          conditions: fc.constantFrom(null, {}, CONDITIONS),
          candidate_technician_ids: fc.constant([]),
          required_skills: fc.constantFrom([], ['VPN', 'vpn', 'Größe']),
        }),
    },
  },
  error_codes: 'dispatch_rule_not_found',
} as const satisfies {
  who_may: AreaSuites['who_may']
  reads: AreaSuites['examples']['reads']
  writes: AreaSuites['examples']['writes']
  own_rows: AreaSuites['own_rows']
  shown_by: AreaSuites['shown_by']
  lists: AreaSuites['lists']
  channel_writes: AreaSuites['channel_writes']
  fetched_again: AreaSuites['fetched_again']
  sent_back: AreaSuites['sent_back']
  error_codes: string
}
