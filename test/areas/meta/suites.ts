import type { AreaSuites } from '../../setup/suites/area.ts'

export const SUITES: AreaSuites = {
  who_may: {
    health: 'anyone',
    discover: 'any caller',
  },
  examples: {
    reads: {
      discover: { resource: 'integrations' },
      health: {},
    },
  },
  shown_by: { discover: 'nothing', health: 'nothing' },
  varying: ['discover'],
}
