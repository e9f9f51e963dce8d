/** The rules of agent writes with the words of the service: its systems and the changes in a PSA. */
import { createHash } from 'node:crypto'
import { REGISTRY } from '../integrations/index.ts'
import { CHANGE_TYPES } from '../schemas/index.ts'
import { ACCEPTANCE, type Catalogues, CONFIG_NAMES } from './rules/config-objects.ts'
import { MATRIX } from './rules/matrix.ts'
import { ruleList } from './rules/rule-list.ts'
import { validatorOf } from './rules/validator.ts'

const CATALOGUES: Catalogues = {
  systems: REGISTRY.map(({ system }) => system),
  change_types: CHANGE_TYPES,
}

export const VALIDATOR = validatorOf(CATALOGUES)

const PUBLISHED = {
  config_objects: CONFIG_NAMES.map((name) => ({ name, ...ACCEPTANCE[name] })),
  matrix: MATRIX,
  rules: ruleList(CATALOGUES),
  json_schemas: { create: VALIDATOR.schemas.create, update: VALIDATOR.schemas.update },
}

/** The rules as callers get them, to validate bodies before they send them. */
export const RULEBOOK = {
  version: createHash('sha256').update(JSON.stringify(PUBLISHED)).digest('hex'),
  ...PUBLISHED,
}

/** Examples of bodies, for the documentation. */
const EXAMPLES = {
  AGENTIC: {
    name: 'Ticket triage',
    autonomy_type: 'AGENTIC',
    trigger_type: 'TRIGGERED',
    entity_type: 'TICKET',
    agent_settings: { custom_instructions: 'Never change the priority of a VIP’s ticket.' },
    toolbox: { tools: ['contact.read', 'memory.search'] },
    integrations: { grants: [{ system: 'HALO_PSA', permission_groups: ['TICKETS'], access: 'WRITE' }] },
    callback_settings: { change_types: ['TICKET_CREATED'] },
    ticket_conditions: { rules: [{ field: 'board', operator: 'equals', value: 'Service desk' }] },
  },
  CHAINED_ACTIONS: {
    name: 'Alert clean-up',
    autonomy_type: 'CHAINED_ACTIONS',
    trigger_type: 'SCHEDULED',
    entity_type: 'TICKET',
    agent_settings: { max_minutes: 20 },
    schedule: { cron: '0 2 * * *', timezone: 'Europe/London' },
    actions: [{ type: 'ticket.close', params: { resolution: 'The alert has cleared.' } }],
  },
  CONVERSATIONAL: {
    name: 'Service desk chat',
    autonomy_type: 'CONVERSATIONAL',
    agent_settings: { custom_instructions: 'Name the document that an answer is from.' },
  },
}

const { create, update } = VALIDATOR.schemas

const CREATE_BODIES = {
  CreateAgenticAgent: { ...create.AGENTIC, examples: [EXAMPLES.AGENTIC] },
  CreateChainedActionsAgent: { ...create.CHAINED_ACTIONS, examples: [EXAMPLES.CHAINED_ACTIONS] },
  CreateConversationalAgent: { ...create.CONVERSATIONAL, examples: [EXAMPLES.CONVERSATIONAL] },
}

const UPDATE_BODY = {
  ...update,
  description:
    'A field that is left out keeps its value. A config object that is given replaces the stored one.',
  examples: [{ agent_settings_edits: { max_minutes: 90 }, description: 'Sorts tickets.' }],
}

const component = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** The bodies of creates, as OpenAPI publishes them. */
export const CREATE_RULES = {
  schemas: () => ({
    CreateAgent: {
      description: 'One of three bodies, by `autonomy_type`.',
      oneOf: Object.keys(CREATE_BODIES).map(component),
      discriminator: {
        propertyName: 'autonomy_type',
        mapping: {
          AGENTIC: component('CreateAgenticAgent').$ref,
          CHAINED_ACTIONS: component('CreateChainedActionsAgent').$ref,
          CONVERSATIONAL: component('CreateConversationalAgent').$ref,
        },
      },
    },
    ...CREATE_BODIES,
  }),
}

/** The bodies of changes, as OpenAPI publishes them. */
export const UPDATE_RULES = { schemas: () => ({ UpdateAgent: UPDATE_BODY }) }

// Contract silent: other bodies are taken too, and what is wrong with them is in the answer.
/** The bodies that `validate_agent` finds valid, as OpenAPI publishes them. */
export const VALIDATE_RULES = {
  schemas: () => ({
    AgentToValidate: {
      description:
        'The body of a create, or of a change of `agent_id`. What is wrong with another one is in the answer.',
      anyOf: [component('CreateAgent'), component('UpdateAgent')],
      examples: [EXAMPLES.AGENTIC],
    },
    ...CREATE_RULES.schemas(),
    ...UPDATE_RULES.schemas(),
  }),
}
