/** The context of resolvers: the caller, the facts of the request, and the service. */
import type { DocumentNode, GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { Peppers } from '../access/credentials/api-key-secret.ts'
import type { Limits } from '../access/limits/catalogue.ts'
import type { createLimiter } from '../access/limits/limiter.ts'
import type { RateLimitState } from '../access/limits/state.ts'
import type { createUsage } from '../access/usage.ts'
import type { Actor, Viewer } from '../access/viewer.ts'
import type { VendorBudget } from '../connectors/budget.ts'
import type { Connectors } from '../connectors/connectors.ts'
import type { Mailer } from '../connectors/mail.ts'
import type { Model } from '../connectors/model.ts'
import type { Post } from '../connectors/posts.ts'
import type { Database } from '../db/database.ts'
import type { DatabaseContext } from '../db/db.ts'
import type { ChangeFeed } from '../db/live/change-feed.ts'
import type { PingResult } from '../db/ping.ts'
import type { EntityTags } from '../lib/entity-tags.ts'
import type { FairSemaphore } from '../lib/fair-semaphore.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import type { Stopwatch } from '../lib/stopwatch.ts'
import type { JobSender } from './job-sender.ts'
import type { Operation } from './operation.ts'

/** The parts of the process; the same for every request. */
export interface Services {
  database: Database
  /** Asks whether the database answers, once a second at most. */
  ping: () => Promise<PingResult>
  environment: string
  /** The address under which callers know the service, without a slash at its end; `''` if none is configured. */
  public_url: string
  key_peppers: Peppers
  /** Cursors, signed URLs and the fingerprints of idempotent requests: the first signs, all verify. */
  signing_secrets: readonly string[]
  /** Encrypts what is stored and must not be read from the database alone. */
  secret_box: SecretBox
  /** True: systems at private addresses may be connected. */
  allow_private_addresses: boolean
  limits: Limits
  limiter: ReturnType<typeof createLimiter>
  /** The requests that tenants may make to vendors. */
  vendor_budget: VendorBudget
  usage: ReturnType<typeof createUsage>
  /** Tells of changed rows, whichever process changed them. */
  change_feed: ChangeFeed
  jobs: JobSender
  /** The ports to other systems. */
  connectors: Connectors
  /** Sends a webhook once, to the address of its receiver. */
  post_webhook: Post
  /** Sends the mails of the service; null if no mail server is configured. */
  mail: Mailer | null
  /** The address of the operator, to which support requests go; null if none is configured. */
  support_email: string | null
  /** The language model of agents; null if none is configured. */
  model: Model | null
  /** The characters that a request to it has at most. */
  model_request_characters: number
  /** Bounds the questions to the model under way in this process: tenants take turns. */
  model_calls: FairSemaphore
  now: () => Date
  /** Waits before another system is called again. Rejects if the signal is aborted. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Executions of a tenant and environment that are at work at once. */
  slots: number
  /** The calls of `delete_technician` that wait for a technician: those through the API-request channel, or all. */
  technician_delete_approval: 'channel' | 'always'
  /** The most that a PSA may tell of: changes of a connection in an hour, and rows of one sync. */
  psa_bounds: { polled_changes_an_hour: number; sync_rows: number }
  /** Milliseconds that an update may wait for its subscriber. */
  subscriber_lag_ms: number
  /** Measures for the metrics of the process. */
  measured: {
    slot_wait(seconds: number): void
    /** Counts a job, by its name, that is given up because its workers were lost. */
    job_given_up(job: string): void
    /** Counts a call as an open stream until it has ended. */
    stream_opened(): void
  }
  log: Logger
  /** Every operation, once the schema is built. */
  operations: () => readonly Operation[]
  /** The GraphQL document that SOFA has derived for the operation with that name. */
  documentOf: (name: string) => DocumentNode
  /** The schema itself, for operations that describe it. */
  schema: () => GraphQLSchema
  /** Aborted when the process begins to stop: a caller who waits for a change is answered at once. */
  stopping: AbortSignal
  /** Aborted later, when load balancers have turned away: clients whose streams end then find another process. */
  turned_away: AbortSignal
}

/** The request's connection, as far as resolvers know it. */
export interface Received {
  /** Calls the listener once the client sends no more. The result removes the listener. */
  onEnd?(listener: () => void): () => void
}

/** The facts of one request that do not depend on the interface. */
interface RequestFacts {
  id: string
  ip: string
  user_agent: string | null
  if_match: EntityTags | null
  idempotency_key: string | null
}

/** The part of the context that a change needs. A command of the operator has it too. */
export interface MutationContext extends DatabaseContext {
  services: Pick<Services, 'database' | 'key_peppers'>
  viewer: Actor | null
  request: Pick<RequestFacts, 'id' | 'user_agent' | 'if_match'> & { ip: string | null }
  now: Date
  /** The key, endpoint or feedback whose secret is in the answer. */
  secret_of: string | null
  /** The approved request to technicians whose call is made, and the name of who asked for it. */
  asked?: { til_request_id: string; by_name: string }
  /** The outcome of a mutation: it recorded an activity, or found nothing to change. null: not known yet. */
  outcome: 'RECORDED' | 'UNCHANGED' | null
}

/** The part of the context that only a subscription has. */
interface SubscriptionFacts {
  /** Aborted when the subscription must end, with the error that tells why. */
  signal: AbortSignal
  /** The header `Last-Event-ID`: the last update that the client got before it lost its connection. */
  last_event_id: string | null
  /** The id of the last update that the client has, or the position at which the subscription began. */
  position: string
}

export interface Context extends MutationContext {
  services: Services
  viewer: Viewer | null
  request: RequestFacts
  received: Received
  /** The state of the limits that count the request, for its headers. */
  rates: RateLimitState
  /** The instant the request arrived: one request sees one time. */
  now: Date
  /** Measures the time in which the call waits for other systems. */
  upstream_time: Stopwatch
  /** Non-fatal remarks for the caller. */
  warnings: string[]
  /** The entity tags of the resources in the answer, by response key. */
  etags: Map<string, string>
  /**
   * The body, for an operation that takes it from here over REST: as it was sent, if the operation has rules of its own, or checked,
   * if it has a long list, the items of which GraphQL would go through at one go. null otherwise.
   */
  sent_body: Readonly<Record<string, unknown>> | null
  /** The call is tried before technicians are asked: it is made when a technician approves it. */
  trial?: true
  /** null: it is no subscription. */
  subscription: SubscriptionFacts | null
  /** The path of the created resource, below the base path. */
  location: string | null
}
