import { addCalls } from '../../setup/callbacks.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'

export const SUITES: AreaSuites = {
  who_may: {
    callback_funnel: { scope: 'observability:read' },
    execution_health: { scope: 'observability:read' },
    integration_health: { scope: 'observability:read' },
  },
  examples: {
    reads: {
      callback_funnel: {},
      execution_health: {},
      integration_health: {},
    },
  },
  async own_rows(msp, { number }) {
    await addCalls(msp, [{ system: 'HUDU', wait_seconds: number }])
    return {}
  },
  shown_by: { callback_funnel: 'number', execution_health: 'number', integration_health: 'number' },
  foreign_tables: {
    callback: 'the funnel is sums of callbacks over an index that only it reads',
    callback_match: 'the funnel is sums of matches over an index that only it reads',
    execution: 'the health is sums of executions over an index that bench/ measures',
  },
}
