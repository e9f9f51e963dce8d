/** The rules of agent writes, as callers see them. */
import { builder } from '../../../schema/builder.ts'
import { AutonomyType, EntityType, TriggerType } from '../agent.ts'
import type { PUBLISHED_RULES } from './published-rules.ts'

type Rulebook = typeof PUBLISHED_RULES

const AgentWrite = builder.enumType('AgentWrite', {
  description: 'A kind of write to an agent.',
  values: {
    CREATE: { description: '`POST /public-api/agents`.' },
    UPDATE: { description: '`PUT` and `PATCH` on `/public-api/agents/{agent_id}`.' },
  },
})

const RuleSeverity = builder.enumType('RuleSeverity', {
  description: 'The consequence of a rule.',
  values: {
    ERROR: { description: 'The write is refused, and nothing is stored.' },
    WARNING: { description: 'The write succeeds; a warning begins with the code.' },
  },
})

const RuleChecked = builder.enumType('RuleChecked', {
  description: 'The place where a rule can be checked.',
  values: {
    SCHEMA: { description: 'The JSON Schemas in `json_schemas` say the same.' },
    SERVER: { description: 'The server alone checks it.' },
  },
})

const AgentConfigObject = builder
  .objectRef<Rulebook['config_objects'][number]>('AgentConfigObject')
  .implement({
    description: 'A config object. It stands at the top of the body, never inside another one.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'The name of the field.' }),
      accepted_on: t.field({
        type: [AgentWrite],
        description: 'The writes whose bodies take it; others ignore it.',
        resolve: ({ accepted_on }) => [...accepted_on],
      }),
      autonomy_types: t.field({
        type: [AutonomyType],
        description: 'The kinds of agents whose bodies take it.',
        resolve: ({ autonomy_types }) => [...autonomy_types],
      }),
    }),
  })

const AgentCombination = builder.objectRef<Rulebook['matrix'][number]>('AgentCombination').implement({
  description: 'A combination of kind, trigger and entity.',
  fields: (t) => ({
    autonomy_type: t.expose('autonomy_type', { type: AutonomyType, description: 'The kind of agent.' }),
    trigger_type: t.expose('trigger_type', { type: TriggerType, description: 'Its trigger.' }),
    entity_type: t.expose('entity_type', { type: EntityType, description: 'The entities that it works on.' }),
    allowed: t.exposeBoolean('allowed', { description: 'True if such agents can be.' }),
  }),
})

const AgentRule = builder.objectRef<Rulebook['rules'][number]>('AgentRule').implement({
  description: 'A rule of agent writes.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description:
        'Stable: `details.field_errors[].code` of a refusal, or the beginning of a warning. A code whose check ' +
        'differs between writes has a rule for each.',
    }),
    severity: t.expose('severity', { type: RuleSeverity, description: 'The consequence.' }),
    applies_to: t.field({
      type: [AgentWrite],
      description: 'The writes that it is for.',
      resolve: ({ applies_to }) => [...applies_to],
    }),
    autonomy_types: t.field({
      type: [AutonomyType],
      description: 'The kinds of agents that it is for.',
      resolve: ({ autonomy_types }) => [...autonomy_types],
    }),
    fields: t.stringList({
      description: 'The paths that it is about; `*` is any name or position.',
      resolve: ({ fields }) => [...fields],
    }),
    condition: t.expose('condition', {
      type: 'JSON',
      description:
        'The rule for programs: a JSON Schema, the words that exist, `keywords` of the JSON Schemas that say it, or ' +
        'a `lookup` that the server makes.',
    }),
    message: t.exposeString('message', { description: 'The rule in a sentence.' }),
    checked: t.expose('checked', { type: RuleChecked, description: 'The place where it can be checked.' }),
  }),
})

export const AgentSchema = builder.objectRef<Rulebook>('AgentSchema').implement({
  description: 'The rules by which the server validates bodies that create and change agents.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'A hash of all the rules.' }),
    config_objects: t.field({
      type: [AgentConfigObject],
      max_items: 20,
      description: 'The config objects, with the bodies that take them.',
      resolve: ({ config_objects }) => config_objects,
    }),
    matrix: t.field({
      type: [AgentCombination],
      max_items: 50,
      description: 'Every combination of kind, trigger and entity.',
      resolve: ({ matrix }) => matrix,
    }),
    rules: t.field({
      type: [AgentRule],
      max_items: 200,
      description: 'The rules. The server runs exactly these.',
      resolve: ({ rules }) => [...rules],
    }),
    json_schemas: t.expose('json_schemas', {
      type: 'JSON',
      description:
        'JSON Schemas of the bodies: `create` has one for each `autonomy_type`, `update` is one. `x-codes` in them ' +
        'names the code of a keyword that does not fit.',
    }),
  }),
})
