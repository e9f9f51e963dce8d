/** Integrations by the names of paths. */
import { ApiError } from '../../errors/errors.ts'
import { similarNames, suggestionText } from '../../lib/similar-names.ts'
import { type Integration, integrationNamed, REGISTRY } from './registry.ts'

/** The integration of the name, or 404 with names that may have been meant. */
export function requireIntegration(id: string): Integration {
  const integration = integrationNamed(id)
  if (integration) return integration
  const suggestions = similarNames(
    id,
    REGISTRY.map(({ name }) => name),
  )
  const message = `There is no integration of this name${suggestionText(suggestions) || '.'}`
  throw new ApiError('unknown_integration', { message, details: { id, suggestions } })
}
