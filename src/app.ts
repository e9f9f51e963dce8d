/** The composition root: everything that a process of the service is made of, without the process. */
import type { Logger } from 'pino'
import { apiKeyCredential } from './access/api-key.ts'
import type { Peppers } from './access/api-key-secret.ts'
import type { CredentialKind } from './access/credential.ts'
import { createLimiter } from './access/limits/limiter.ts'
import { createUsage } from './access/usage.ts'
import { monograms } from './areas/integrations/monogram.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { pulseOf } from './db/health.ts'
import { ApiError } from './errors.ts'
import { addressStatus, chargeAddress } from './gateway/address-limits.ts'
import type { Gateway } from './gateway/admit.ts'
import { type Call, newCall } from './gateway/call.ts'
import { callLog } from './gateway/call-log.ts'
import type { Services } from './gateway/context.ts'
import { sweepAnswers } from './gateway/idempotency.ts'
import { commonHeaders, timingsOf } from './gateway/response-headers.ts'
import type { GraphqlHandler } from './graphql/endpoint.ts'
import type { Endpoint } from './http/dispatch.ts'
import { createMetrics } from './http/metrics.ts'
import { createProbes } from './http/probes.ts'
import { createHttpServer, type HttpServer } from './http/server.ts'
import { BASE_PATH, GRAPHQL_PATH } from './lib/api.ts'
import { loggable } from './lib/loggable.ts'
import { locationOf } from './rest/bind.ts'
import { documentEndpoint } from './rest/documentation.ts'
import { errorAnswer } from './rest/envelope.ts'
import { createRest } from './rest/rest.ts'
import { buildSchemas } from './schema.ts'

export interface AppOptions {
  config: Config
  database: Database
  log: Logger
  secrets: { key_peppers: Peppers; signing_secrets: readonly string[] }
  /** What else than an API key a caller may present. */
  credentials: readonly CredentialKind[]
  now?: () => Date
  /** True where the database has every migration. */
  migrated?: () => Promise<boolean>
  dropped_log_lines?: () => number
  /** Milliseconds that never go back. */
  elapsed?: () => number
  /** False turns the fast path for GraphQL queries that have been asked before off. */
  document_cache?: boolean
}

export interface App {
  server: HttpServer
  services: Services
  /** Loads what only some requests need, so that the first of them does not wait for it. */
  warm(): Promise<void>
  /** Answers what is under way, after `delay_ms` more, writes what is buffered, and stops. The database stays open. */
  close(ms?: number, delay_ms?: number): Promise<void>
}

const GRAPHQL_METHODS = ['GET', 'POST', 'OPTIONS']
const DRAIN_MS = 25_000
const SWEEP_MS = 60_000

export async function createApp(options: AppOptions): Promise<App> {
  const { config, database, secrets, now = () => new Date() } = options
  const { migrated = async () => true, dropped_log_lines = () => 0 } = options
  const log = options.log.child({}, { serializers: { err: loggable } })
  const schemas = buildSchemas()
  const { rest_view, operations } = schemas
  const { sql } = database
  const services: Services = {
    ...secrets,
    database,
    environment: config.ENVIRONMENT,
    limits: config.LIMITS,
    limiter: createLimiter({ sql, ...(options.elapsed && { elapsed: options.elapsed }) }),
    usage: createUsage({ sql, now }),
    now,
    log,
    operations: () => operations,
    schema: () => schemas.schema,
  }
  const api_key = apiKeyCredential({ sql, peppers: secrets.key_peppers, environment: config.ENVIRONMENT })
  const credentials = [api_key, ...options.credentials]

  const gateway: Gateway = { services, credentials, request_timeout_ms: config.REQUEST_TIMEOUT_MS }
  const rest = await createRest({ gateway, view: rest_view, operations })
  let graphql: Promise<GraphqlHandler> | undefined
  // Yoga takes a quarter of a start, and the whole schema a part of it.
  const loadGraphql = (): Promise<GraphqlHandler> => {
    graphql ??= import('./graphql/endpoint.ts').then(({ createGraphql }) =>
      createGraphql({
        gateway,
        schema: schemas.schema,
        operations,
        locate: locationOf,
        graphiql: config.GRAPHIQL,
        open_introspection: !config.production,
        document_cache: options.document_cache ?? true,
      }),
    )
    return graphql
  }
  const endpoints: Endpoint<Call>[] = [
    documentEndpoint({
      operations,
      charge: (call) => chargeAddress(services, call),
      graphiql: config.GRAPHIQL,
      extra: monograms(),
    }),
    {
      name: 'rest',
      has: (path) => path.startsWith(`${BASE_PATH}/`),
      allowed: rest.allowed,
      handle: rest.handle,
    },
    {
      name: 'graphql',
      has: (path) => path === GRAPHQL_PATH,
      allowed: () => GRAPHQL_METHODS,
      async handle(exchange) {
        const { method } = exchange.request
        if (method === 'GET' || method === 'POST') return (await loadGraphql())(exchange)
        const headers = { Allow: GRAPHQL_METHODS.join(', ') }
        throw new ApiError('method_not_allowed', { details: { allow: GRAPHQL_METHODS }, headers })
      },
    },
  ]
  const metrics = createMetrics({ database: database.load, dropped_log_lines })
  const server: HttpServer = createHttpServer<Call>({
    endpoints,
    probe: createProbes({
      isDatabaseUp: async () => (await pulseOf(database)).answered,
      migrated,
      metrics,
      metrics_token: config.METRICS_TOKEN,
      open_metrics: !config.production,
      log,
      isDraining: () => server.isDraining(),
    }),
    callOf: (request, ip) => newCall(request, ip, () => addressStatus(services, ip)),
    free(call) {
      call.charged = true
    },
    headersOf: (call) => commonHeaders(call, timingsOf(call)),
    refusal: (call, error) => errorAnswer(services, call, error),
    observe: callLog(services, metrics),
    log,
    cors_origins: config.CORS_ORIGINS,
    allowed_hosts: config.ALLOWED_HOSTS,
    trusted_proxies: config.TRUSTED_PROXIES,
  })
  const sweep = setInterval(() => {
    services.limiter.sweep().catch((error) => log.warn({ err: error }, 'rate limits could not be swept'))
    sweepAnswers(sql, now()).catch((error) => log.warn({ err: error }, 'kept answers could not be swept'))
  }, SWEEP_MS).unref()

  return {
    server,
    services,
    async warm() {
      await loadGraphql()
      await import('graphql-jit')
      database.prisma
    },
    async close(ms = DRAIN_MS, delay_ms = 0) {
      clearInterval(sweep)
      await server.drain(ms, delay_ms)
      await Promise.allSettled([services.usage.flush(), services.limiter.release()])
    },
  }
}
