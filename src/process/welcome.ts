/** The text that `npm start` prints on a developer's machine: addresses, the demo key, and requests to paste. */

import type { Config } from '../config.ts'
import type { DemoKeys } from '../demo/demo.ts'
import { placesOf } from '../lib/api.ts'

interface Welcome {
  config: Config
  /** The address of the service. */
  base: string
  /** null if there is no demo data. */
  demo: DemoKeys | null
}

export function welcome({ config, base, demo }: Welcome): string {
  const { graphiql, reference, openapi } = placesOf(config.GRAPHIQL)
  const signsIn = !config.production && !config.OIDC_ISSUER
  const places: [string, string | null][] = [
    ['GraphiQL', graphiql ? base + graphiql : null],
    ['REST reference', base + reference],
    ['OpenAPI document', base + openapi],
    ['Demo API key', demo && (demo.api_key ?? 'no longer valid; delete the data directory for a new demo')],
    ['Dashboard token', demo && signsIn ? tokenCommand(config, '') : null],
  ]
  const lines = places
    .filter(([, what]) => what !== null)
    .map(([name, what]) => `  ${name.padEnd(18)}${what}`)
  const requests = demo ? ['', 'Three requests to paste:', ...requestsTo(base, config, demo, signsIn)] : []
  return `\n${[`Automation Service Public API at ${base}`, '', ...lines, ...requests].join('\n')}\n\n`
}

function requestsTo(base: string, config: Config, demo: DemoKeys, signsIn: boolean): string[] {
  const key = `-H 'Authorization: Bearer ${demo.api_key ?? '<API key>'}'`
  const token = signsIn ? `$(${tokenCommand(config, '--silent ')})` : '<access token of an ADMIN>'
  const query = '{ settings { timezone start_business_hours end_business_hours } }'
  return [
    `curl ${key} -H 'Content-Type: application/json' -d '{"entity_id":"150000"}' ${base}/public-api/agents/9/run-now`,
    `curl ${key} -H 'Content-Type: application/json' -d '{"query":"${query}"}' ${base}/graphql`,
    `curl -X POST -H "Authorization: Bearer ${token}" ${base}/public-api/api-keys/${demo.rotatable_key_id}/rotate`,
  ].map((line) => `\n  ${line}`)
}

/** The command for a dashboard token, with the variables that it depends on if they differ from the defaults. */
function tokenCommand({ DATA_DIR, ENVIRONMENT }: Config, options: string): string {
  const variables = [
    DATA_DIR === '.data' ? '' : `DATA_DIR=${DATA_DIR} `,
    ENVIRONMENT === 'dev' ? '' : `ENVIRONMENT=${ENVIRONMENT} `,
  ]
  return `${variables.join('')}npm run ${options}token -- --role ADMIN`
}

/** The address at which a browser on this machine reaches the service. */
export function baseOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
