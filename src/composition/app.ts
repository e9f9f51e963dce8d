/** The composition root: everything that a process of the service is made of, without the process. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Peppers } from '../access/credentials/api-key-secret.ts'
import type { CredentialKind, Issuer } from '../access/credentials/credential.ts'
import { CREDENTIAL_KINDS, limitsFor } from '../access/credentials/credential-kinds.ts'
import { createLimiter } from '../access/limits/limiter.ts'
import { sharedLeases } from '../access/limits/request-places.ts'
import { createUsage } from '../access/usage.ts'
import { oldestUnclosedSeconds } from '../areas/audit-log/chain/close.ts'
import { AUDIT_LOG_DOWNLOAD } from '../areas/audit-log/tool-calls/export.ts'
import { INGEST } from '../areas/callbacks/ingest/ingest.ts'
import { monograms } from '../areas/integrations/monogram.ts'
import type { Config } from '../config.ts'
import type { Adapters, SystemConnectors } from '../connectors/connectors.ts'
import { createVendorClient } from '../connectors/http/client.ts'
import type { Mailer } from '../connectors/mail.ts'
import { withCircuit } from '../connectors/model/circuit.ts'
import { openAiCompatibleModel } from '../connectors/model/openai-compatible.ts'
import type { Model } from '../connectors/model.ts'
import { createMailer } from '../connectors/smtp/mailer.ts'
import { createUpstreamCalls } from '../connectors/upstream-calls.ts'
import { createClock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { createChangeFeed } from '../db/live/change-feed.ts'
import { createPing } from '../db/ping.ts'
import { methodNotAllowed, turnedAway } from '../errors/errors.ts'
import { addressStatus, chargeAddress } from '../gateway/address-limits.ts'
import type { Gateway } from '../gateway/admit.ts'
import { type Call, newCall } from '../gateway/call.ts'
import { callLog } from '../gateway/call-log.ts'
import type { Services } from '../gateway/context.ts'
import { commonHeaders, timingsOf } from '../gateway/response-headers.ts'
import type { GraphqlHandler } from '../graphql/endpoint.ts'
import { graphiqlFiles } from '../graphql/graphiql.ts'
import { asksForPage } from '../graphql/request.ts'
import type { Endpoint } from '../http/dispatch.ts'
import { createMetrics } from '../http/metrics.ts'
import { createProbes } from '../http/probes.ts'
import type { HttpRequest } from '../http/request.ts'
import { createHttpServer, type HttpServer } from '../http/server.ts'
import { metricsExporter } from '../jobs/exporter.ts'
import type { WorkerIntervals } from '../jobs/intervals.ts'
import type { Job } from '../jobs/job.ts'
import { jobLoad } from '../jobs/load.ts'
import { createLoops, type Loop } from '../jobs/loop.ts'
import { createSender } from '../jobs/sender.ts'
import { createWorker } from '../jobs/worker.ts'
import { BASE_PATH, GRAPHQL_PATH } from '../lib/api.ts'
import { createFairSemaphore } from '../lib/fair-semaphore.ts'
import { loggableError } from '../lib/loggable-error.ts'
import type { ClientAddress } from '../lib/networks.ts'
import { createSecretBox, type EncryptionKeys } from '../lib/secret-box.ts'
import { locationOf } from '../rest/bind.ts'
import { documentEndpoint } from '../rest/documentation.ts'
import { downloadEndpoint } from '../rest/downloads.ts'
import { errorAnswer } from '../rest/envelope.ts'
import { ingestEndpoint } from '../rest/ingest.ts'
import { createRest } from '../rest/rest.ts'
import { sofaRoutes } from '../rest/sofa-routes.ts'
import { adaptersOf } from './adapters.ts'
import { budgetedConnectors, storedConnections } from './connectors.ts'
import { JOBS, LOOPS } from './jobs.ts'
import { buildSchemas, type Schemas } from './schemas.ts'
import { STYLES } from './styles.ts'
import { vendorBudget } from './vendor-budget.ts'
import { createWarmUp } from './warm-up.ts'

export interface AppOptions {
  config: Config
  database: Database
  log: Logger
  secrets: { key_peppers: Peppers; signing_secrets: readonly string[]; encryption_keys: EncryptionKeys }
  /** The identity provider of dashboard users; null if there is none. */
  issuer: Issuer | null
  /** The identity provider of end users in chat apps; null, the default: there is none. */
  chat_issuer?: Issuer | null
  /** The kinds of credentials that a caller may present. */
  credential_kinds?: readonly CredentialKind[]
  /** Serve a tenant that has connected no system of the kind; by default, what keeps everything in our own database. */
  connectors?: Partial<SystemConnectors>
  /** The adapters of the systems that tenants connect; by default those of the service. */
  adapters?: Adapters
  /** The time of the service; by default, the database's clock. */
  now?: (() => Date) | undefined
  /** Milliseconds by the clock of the process. */
  wall?: () => number
  /** The reason why this release cannot work on the tables of the database; null if it can. */
  schemaProblem?: () => Promise<string | null>
  dropped_log_lines?: () => number
  /** Milliseconds that never go back. */
  elapsed?: () => number
  /** Another schema than that of the service's areas. */
  schemas?: Schemas
  /** False turns the fast path for GraphQL queries that have been asked before off. */
  document_cache?: boolean
  /** The folder of the static files that were made when the packages were installed. */
  static_folder?: string | undefined
  /** The jobs that this process runs, if its role is to run them. */
  jobs?: readonly Job[]
  /** The loops that it runs, if its role is to run jobs. */
  loops?: readonly Loop[]
  worker_intervals?: WorkerIntervals
}

export interface App {
  server: HttpServer
  services: Services
  /** Resolves once the time of the service is that of the database. */
  synchronized(): Promise<void>
  /** Loads what only some requests need, so that the first of them does not wait for it. It comes before the service listens. */
  warm(): Promise<void>
  /** Begins to run jobs, if that is the role of the process. */
  work(): void
  /**
   * Answers calls with 503, ends its streams and runs no jobs from now on, since it may not write. The probes say the reason.
   */
  retire(): void
  /** Stops after `delay_ms`: answers pending requests and flushes buffers. The database stays open. */
  close(ms?: number, delay_ms?: number): Promise<void>
}

/** The model that the variables name; null if they name none. */
function modelOf(
  { MODEL_BASE_URL, MODEL_API_KEY, MODEL_NAME }: Config,
  elapsed = () => performance.now(),
): Model | null {
  if (MODEL_BASE_URL === undefined || MODEL_NAME === undefined) return null
  const endpoint = { base_url: MODEL_BASE_URL, api_key: MODEL_API_KEY ?? null, name: MODEL_NAME }
  return withCircuit(openAiCompatibleModel(endpoint), elapsed)
}

/** The mail server that the variables name; null if they name none. */
const mailerOf = ({ SMTP_URL: server, MAIL_FROM: from }: Config, now: () => Date): Mailer | null =>
  server && from !== undefined ? createMailer({ server, from, now }) : null

const GRAPHQL_METHODS = ['GET', 'POST', 'OPTIONS']
const DRAIN_MS = 25_000

export async function createApp(options: AppOptions): Promise<App> {
  const { config, database } = options
  const { encryption_keys, ...secrets } = options.secrets
  const { schemaProblem = async () => null, dropped_log_lines = () => 0 } = options
  const { credential_kinds: kinds = CREDENTIAL_KINDS } = options
  const log = options.log.child({}, { serializers: { err: loggableError } })
  const { schemas = buildSchemas() } = options
  const { rest_view, operations } = schemas
  const sofa = await sofaRoutes(rest_view, operations)
  const { sql } = database
  const clock = createClock({ sql, log, wall: options.wall, elapsed: options.elapsed })
  const now = options.now ?? clock.now
  let synchronizing: Promise<void> | undefined
  const synchronized = (): Promise<void> => {
    synchronizing ??= options.now ? Promise.resolve() : clock.start()
    return synchronizing
  }
  const upstream_calls = createUpstreamCalls(sql)
  const secret_box = createSecretBox(encryption_keys)
  const { connections, settled } = storedConnections({ sql, box: secret_box, log, now })
  const budget = {
    ...(options.elapsed && { elapsed: options.elapsed }),
    record: upstream_calls.record,
    now,
  }
  const limits = { ...limitsFor(kinds), ...config.LIMITS }
  const vendor_budget = vendorBudget(() => services.limiter, limits)
  const vendor_client = createVendorClient({
    allow_private_addresses: config.ALLOW_PRIVATE_ADDRESSES,
    budget: vendor_budget,
    ...(database.kind !== 'embedded' && { places: sharedLeases(sql) }),
    addressRefused: (refused) => log.warn(refused, 'an address of a connected system was refused'),
  })
  const connectors = budgetedConnectors(options.connectors ?? {}, budget, {
    adapters: options.adapters ?? adaptersOf(vendor_client),
    connections,
    services: () => services,
  })
  const stopping = new AbortController()
  const turned_away = new AbortController()
  const services: Services = {
    ...secrets,
    secret_box,
    allow_private_addresses: config.ALLOW_PRIVATE_ADDRESSES,
    database,
    ping: createPing(database, options.elapsed),
    environment: config.ENVIRONMENT,
    public_url: config.PUBLIC_URL,
    limits,
    vendor_budget,
    limiter: createLimiter({
      sql,
      rates: Object.values(limits),
      ...(options.elapsed && { elapsed: options.elapsed }),
    }),
    usage: createUsage({ sql, now }),
    change_feed: createChangeFeed(database),
    jobs: createSender(sql),
    connectors,
    post_webhook: vendor_client.post,
    mail: mailerOf(config, now),
    support_email: config.SUPPORT_EMAIL ?? null,
    model: modelOf(config, options.elapsed),
    model_request_characters: config.MODEL_REQUEST_CHARACTERS,
    now,
    pause: async (ms, signal) => void (await sleep(ms, undefined, { signal })),
    slots: config.EXECUTIONS_AT_ONCE,
    technician_delete_approval: config.TECHNICIAN_DELETE_APPROVAL,
    psa_bounds: {
      polled_changes_an_hour: config.POLLED_CHANGES_AN_HOUR,
      sync_rows: config.SYNC_ROWS,
    },
    subscriber_lag_ms: config.SUBSCRIBER_LAG_MS,
    model_calls: createFairSemaphore(config.MODEL_CALLS_AT_ONCE),
    measured: {
      slot_wait: (seconds) => metrics.slotWaited(seconds),
      job_given_up: (job) => metrics.jobGivenUp(job),
      stream_opened: () => metrics.streamOpened(),
    },
    log,
    operations: () => operations,
    documentOf: sofa.documentOf,
    schema: () => schemas.schema,
    stopping: stopping.signal,
    turned_away: turned_away.signal,
  }
  const { environment } = services
  const credential_options = {
    ...secrets,
    sql,
    environment,
    jwt_max_age_seconds: config.JWT_MAX_AGE_SECONDS,
    issuer: options.issuer,
    chat_issuer: options.chat_issuer ?? null,
  }
  const credentials = kinds.flatMap((kind) => kind.credential(credential_options) ?? [])

  const warm_up = createWarmUp(services, credentials)
  const gateway: Gateway = {
    services,
    credentials: [warm_up.credential, ...credentials],
    request_timeout_ms: config.REQUEST_TIMEOUT_MS,
    max_response_bytes: config.MAX_RESPONSE_BYTES,
  }
  const rest = createRest({ gateway, view: rest_view, operations, sofa })
  let graphql: Promise<GraphqlHandler> | undefined
  // Yoga takes a quarter of a start, and the whole schema a part of it.
  const loadGraphql = (): Promise<GraphqlHandler> => {
    graphql ??= import('../graphql/endpoint.ts').then(({ createGraphql }) =>
      createGraphql({
        gateway,
        schema: schemas.schema,
        operations,
        subscriptions: schemas.subscriptions,
        locate: locationOf,
        open_introspection: !config.production,
        document_cache: options.document_cache ?? true,
      }),
    )
    return graphql
  }
  const documents = documentEndpoint({
    operations,
    charge: (call) => chargeAddress(services, call),
    graphiql: config.GRAPHIQL,
    extra: { ...monograms(), ...STYLES, ...(config.GRAPHIQL && graphiqlFiles()) },
    folder: options.static_folder,
  })
  const endpoints: Endpoint<Call>[] = [
    {
      name: 'graphql',
      has: (path) => path === GRAPHQL_PATH,
      allowed: () => GRAPHQL_METHODS,
      async handle(exchange) {
        const { request } = exchange
        if (config.GRAPHIQL && asksForPage(request)) return await documents.handle(exchange)
        if (request.method === 'GET' || request.method === 'POST') return (await loadGraphql())(exchange)
        throw methodNotAllowed(GRAPHQL_METHODS)
      },
    },
    documents,
    downloadEndpoint({
      services,
      request_timeout_ms: config.REQUEST_TIMEOUT_MS,
      credential_options,
      downloads: [AUDIT_LOG_DOWNLOAD],
    }),
    ingestEndpoint(services, INGEST),
    {
      name: 'rest',
      has: (path) => path.startsWith(`${BASE_PATH}/`),
      allowed: rest.allowed,
      handle: rest.handle,
    },
  ]
  database.disk.watch((is_full) => {
    if (is_full) log.error('the disk of the database is full: writes fail, and reads go on')
    else log.info('the disk of the database has space again')
  })
  const exporter = metricsExporter(sql, config.ENVIRONMENT)
  const loadOfJobs = jobLoad(sql, config.ENVIRONMENT, options.jobs ?? JOBS)
  const secondsUnclosed = oldestUnclosedSeconds(sql, config.ENVIRONMENT)
  const metrics = createMetrics({
    database: database.load,
    disk_full: () => database.disk.is_full,
    dropped_log_lines,
    jobs: async () => ((await exporter.isMine()) ? await loadOfJobs() : []),
    oldest_unclosed_seconds: async () => ((await exporter.isMine()) ? await secondsUnclosed() : null),
  })
  const worker = createWorker({
    services,
    jobs: options.jobs ?? JOBS,
    migrate: database.kind === 'embedded' || config.MIGRATE_ON_START,
    at_once: config.JOBS_AT_ONCE,
    model_calls: config.MODEL_CALLS_AT_ONCE,
    elapsed: options.elapsed,
    intervals: options.worker_intervals,
    onAttemptEnd: metrics.jobEnded,
    onDeath: metrics.jobDied,
  })
  const loops = createLoops(services, options.loops ?? LOOPS)
  const callOf = (request: HttpRequest | null, client: ClientAddress): Call => {
    const uncharged = () => addressStatus(services, client.ip)
    return newCall(request, client, { public_url: services.public_url, uncharged })
  }
  let is_retired = false
  const refusing = (endpoint: Endpoint<Call>): Endpoint<Call> => ({
    ...endpoint,
    async handle(exchange) {
      if (is_retired) throw turnedAway(5)
      await endpoint.handle(exchange)
    },
  })
  let stopping_work: Promise<unknown> | undefined
  const stopWork = (ms: number): Promise<unknown> => {
    stopping_work ??= Promise.all([worker.stop(ms), loops.stop(ms)])
    return stopping_work
  }
  const server: HttpServer = createHttpServer<Call>({
    endpoints: config.ROLE === 'worker' ? [] : endpoints.map(refusing),
    probe: createProbes({
      isDatabaseUp: async () => (await services.ping()).answered,
      schemaProblem,
      clockAgrees: () => options.now !== undefined || clock.agrees(),
      // Jobs write: on a full disk none can be taken, and reads go on.
      isWorking: () => worker.isWorking() || database.disk.is_full,
      metrics,
      metrics_token: config.METRICS_TOKEN,
      open_metrics: !config.production,
      log,
      isDraining: () => server.isDraining(),
    }),
    callOf,
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
  return {
    server,
    services,
    synchronized,
    async warm() {
      if (config.ROLE === 'worker') return
      const graphql = await loadGraphql()
      await import('graphql-jit')
      // Prisma's query compiler takes as long for its first query as a request may take. There is no such tenant.
      await database.prisma.tenant.findFirst({ where: { id: '' } }).catch(() => null)
      await warm_up.run({ graphql, rest: rest.handle, callOf: (own) => callOf(own, own.client) })
    },
    work() {
      if (config.ROLE === 'api') return
      void synchronized().then(() => {
        if (stopping.signal.aborted || is_retired) return
        worker.start()
        loops.start()
      })
    },
    retire() {
      is_retired = true
      turned_away.abort()
      stopWork(DRAIN_MS).catch((error: unknown) => log.error({ err: error }, 'could not stop jobs'))
    },
    async close(ms = DRAIN_MS, delay_ms = 0) {
      stopping.abort()
      clock.stop()
      const endStreams = sleep(delay_ms).then(() => turned_away.abort())
      await Promise.all([server.drain(ms, delay_ms), endStreams, stopWork(ms)])
      await Promise.allSettled([
        services.usage.flush(),
        upstream_calls.flush(),
        settled(),
        services.limiter.release(),
        exporter.release(),
        services.change_feed.close(),
        vendor_client.close(),
      ])
    },
  }
}
