/** The rules of agent writes with the words of the service: its systems and the changes in a PSA. */
import { createHash } from 'node:crypto'
import type { OwnRules } from '../../../schema/bounds/bounds.ts'
import { CHANGE_TYPES } from '../../change-types/index.ts'
import { REGISTRY } from '../../integrations/index.ts'
import { createBody, updateBody } from './body-documents.ts'
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
export const PUBLISHED_RULES = {
  version: createHash('sha256').update(JSON.stringify(PUBLISHED)).digest('hex'),
  ...PUBLISHED,
}

/** The bodies of creates, as OpenAPI documents them. */
export const CREATE_RULES: OwnRules = { documented: () => createBody(VALIDATOR.schemas) }

/** The bodies of changes, as OpenAPI documents them. */
export const UPDATE_RULES: OwnRules = { documented: () => updateBody(VALIDATOR.schemas) }

// Contract silent: other bodies are taken too, and what is wrong with them is in the answer.
/** The bodies that `validate_agent` finds valid, as OpenAPI documents them. */
export const VALIDATE_RULES: OwnRules = {
  documented: () => ({
    name: 'AgentToValidate',
    description:
      'The body of a create, or of a change of `agent_id`. What is wrong with another one is in the answer.',
    bodies: [createBody(VALIDATOR.schemas), updateBody(VALIDATOR.schemas)],
  }),
}
