import type { AreaSuites } from '../../setup/suites/area.ts'

export const SUITES: AreaSuites = {
  who_may: {
    error_codes: 'anyone',
    enum_catalog: 'anyone',
    tool_schemas: 'any caller',
    event_types: 'any caller',
    agent_schema: 'any caller',
    callback_change_options: 'any caller',
  },
  examples: {
    reads: {
      agent_schema: {},
      callback_change_options: {},
      enum_catalog: {},
      error_codes: {},
      event_types: {},
      tool_schemas: { permission_group: 'TICKETS' },
    },
  },
  shown_by: {
    agent_schema: 'nothing',
    callback_change_options: 'nothing',
    enum_catalog: 'nothing',
    error_codes: 'nothing',
    event_types: 'nothing',
    tool_schemas: 'nothing',
  },
  varying: ['tool_schemas'],
}
