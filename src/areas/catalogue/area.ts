import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Schemas',
  slug: 'schemas',
  description:
    'The parts of the API, for programs: error codes, enumerations, tools, types of events, changes in the PSA, ' +
    'and the rules of agents.',
  example: `
query ErrorCodes {
  error_codes { code status meaning retryable fix operations }
}

# query ToolsOfTickets {
#   tool_schemas(permission_group: TICKETS) { name title access requires_approval grant_with input_schema }
# }

# query Enums {
#   enum_catalog { name description values { value description } }
# }`,
})
