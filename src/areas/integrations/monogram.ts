/** Monograms in place of logos: a few letters on a tile. No third party's mark is shown. */
import { BASE_PATH } from '../../lib/api.ts'
import { type Integration, type IntegrationCategory, REGISTRY } from './registry.ts'

const COLOURS: Record<IntegrationCategory, string> = {
  PSA: '#1d4ed8',
  RMM: '#0f766e',
  DOCUMENTATION: '#6d28d9',
  SECURITY: '#b91c1c',
  EMAIL_SECURITY: '#be185d',
  NETWORK: '#0369a1',
  DISTRIBUTOR: '#92400e',
  MARKETPLACE: '#a21caf',
  TEAM_CHAT: '#3f6212',
  IDENTITY_PROVIDER: '#374151',
}

/** The path of an integration's monogram. */
export const logoPath = ({ name }: Pick<Integration, 'name'>): string =>
  `${BASE_PATH}/integrations/${name}/logo.svg`

/** The glyph in white on a tile of the category's colour. */
export const monogram = ({ glyph, category }: Pick<Integration, 'glyph' | 'category'>): string =>
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">' +
  `<rect width="64" height="64" rx="14" fill="${COLOURS[category]}"/>` +
  '<text x="32" y="33" fill="#fff" font-family="system-ui, sans-serif" font-size="28" font-weight="600" ' +
  `text-anchor="middle" dominant-baseline="central">${glyph}</text></svg>`

const HEADERS = { 'Content-Type': 'image/svg+xml', 'Content-Security-Policy': "default-src 'none'" }

/** The monogram of every integration, by its path. */
export const monograms = (): Record<string, { headers: typeof HEADERS; make: () => string }> =>
  Object.fromEntries(
    REGISTRY.map((integration) => [
      logoPath(integration),
      { headers: HEADERS, make: () => monogram(integration) },
    ]),
  )
