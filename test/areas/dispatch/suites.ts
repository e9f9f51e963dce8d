import type { AreaSuites } from '../../setup/suites/area.ts'
import { ASSIGNING } from './suites-of-assigning.ts'
import { DECISIONS } from './suites-of-decisions.ts'
import { RULES } from './suites-of-rules.ts'

export const SUITES: AreaSuites = {
  who_may: { ...RULES.who_may, ...DECISIONS.who_may, ...ASSIGNING.who_may },
  examples: {
    reads: { ...RULES.reads, ...DECISIONS.reads },
    writes: { ...RULES.writes, ...DECISIONS.writes, ...ASSIGNING.writes },
  },
  async own_rows(msp, scene) {
    return { ...(await RULES.own_rows(msp, scene)), ...(await DECISIONS.own_rows(msp, scene)) }
  },
  shown_by: { ...RULES.shown_by, ...DECISIONS.shown_by },
  events: { ...DECISIONS.events, ...ASSIGNING.events },
  lists: { ...RULES.lists, ...DECISIONS.lists },
  skewed_rows: DECISIONS.skewed_rows,
  channel_writes: { ...RULES.channel_writes, ...DECISIONS.channel_writes, ...ASSIGNING.channel_writes },
  fetched_again: RULES.fetched_again,
  unrecorded: DECISIONS.unrecorded,
  sent_back: RULES.sent_back,
  single_rows: {
    'dispatch.writes_on_ticket': 'a ticket has many decisions, of which one suggestion is open',
  },
  error_codes: {
    404: 'dispatch_rule_not_found dispatch_decision_not_found',
    409: 'dispatch_decision_closed no_candidates dispatch_disabled',
  },
}
