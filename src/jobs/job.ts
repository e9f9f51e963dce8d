/**
 * Work that continues later.
 *
 * job: one piece of work, stored in the database when it is enqueued and done by a worker afterwards.
 * queue: the jobs of one declaration, under its name, `<area>.<verb>`.
 * worker: a process that runs jobs; `ROLE` says which processes do.
 * attempt: one run of a job. A failed attempt is repeated after a pause that doubles each time.
 * lost worker: a process that ended, or did not answer, while it ran a job. Its jobs are taken over by other workers.
 * dead letter: a job whose last attempt failed, or that was given up. It is kept until an operator retries it.
 */
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Actor } from '../access/viewer.ts'
import type { MutationContext, Services } from '../gateway/context.ts'

/** The context of a handler: the services and the job's tenancy, without a caller. */
export interface JobContext extends MutationContext {
  services: Services
  /** The service itself, in the tenant and environment of the job; null for a job of the system. */
  viewer: Actor | null
  /** The start of the attempt. */
  now: Date
  /** Aborted when the attempt takes too long, and when the process stops and cannot wait any longer. */
  signal: AbortSignal
  /** Its lines carry the job's name and id. */
  log: Logger
  /** 1 for the first. An attempt whose worker was lost does not count. */
  attempt: number
  /** The times that a worker has taken the job: 1 for the first. */
  taken: number
}

/** The context of a job whose handler has no transaction of its own. */
export interface UnboundJobContext extends JobContext {
  /**
   * Does the work in one transaction and completes the job in it, so that the effect happens exactly once. To be
   * called once, after what takes long and writes nothing here, such as a call to another system.
   */
  commit<Result>(work: () => Promise<Result>): Promise<Result>
  /** Does a part of the work that needs connections, if the job itself `waits`: tenants take turns. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
  /** Sets the count of lost workers to 0: the job got on since the last of them. */
  forgetLost(): Promise<void>
}

interface Declaration<Payload extends z.ZodType> {
  /** `<area>.<verb>`: the name of its queue, unique in the service. */
  name: `${string}.${string}`
  /** Validates the payload when the job is enqueued and again when it runs. It holds ids and numbers, never a secret. */
  payload: Payload
  /** Attempts after the first. */
  retries?: number
  /** Lost workers after which the job is given up: it may be what ends them. */
  most_lost?: number
  /** The pause before the second attempt, in seconds; it doubles with each attempt. */
  retry_delay_seconds?: number
  /** The longest time that one attempt may take. */
  timeout_seconds?: number
  /** Jobs of this queue that one process runs at once; those that mostly wait for a model, as many as questions to it. */
  concurrency?: number | 'MODEL_CALLS'
  /** Of them, the most of one tenant. */
  concurrency_of_tenant?: number
  /** It mostly waits for other systems and holds no connection meanwhile: it does not count against the jobs at once. */
  waits?: boolean
  /** Seconds for which a job that has ended is kept, for analysis. */
  kept_seconds?: number
}

type HandlerOptions<Payload extends z.ZodType> =
  | {
      /** The default: the handler runs in one transaction, which completes the job. */
      transaction?: true
      handler(ctx: JobContext, payload: z.output<Payload>): Promise<void>
    }
  | {
      /** For work that takes long, or that another run repeats without harm. */
      transaction: false
      handler(ctx: UnboundJobContext, payload: z.output<Payload>): Promise<void>
    }

interface GivenUp<Payload extends z.ZodType> {
  /**
   * Ends what the job was for, in the transaction that makes the job a dead letter. It reads little and calls no other
   * system, so that it loses no worker itself.
   */
  onGivenUp?(ctx: JobContext, payload: z.output<Payload>): Promise<void>
}

/** The payload of a job that needs none. */
export const NO_PAYLOAD = z.object({})

/** A declared job. */
export interface Job<Payload extends z.ZodType = z.ZodType> {
  name: string
  payload: Payload
  /** A tenant's jobs carry the tenant and environment of who enqueued them. */
  tenancy: 'tenant' | 'system'
  /** A cron expression in UTC, by which the system enqueues it; once over all processes of an environment. null: none. */
  schedule: string | null
  retries: number
  most_lost: number
  retry_delay_seconds: number
  timeout_seconds: number
  concurrency: number | 'MODEL_CALLS'
  concurrency_of_tenant: number
  waits: boolean
  kept_seconds: number
  transaction: boolean
  handler(ctx: UnboundJobContext, payload: z.output<Payload>): Promise<void>
  onGivenUp?(ctx: JobContext, payload: z.output<Payload>): Promise<void>
}

export const MOST_LOST = 3

const DAY_SECONDS = 86_400

const DEFAULTS = {
  waits: false,
  kept_seconds: DAY_SECONDS,
  retries: 5,
  most_lost: MOST_LOST,
  retry_delay_seconds: 1,
  timeout_seconds: 30,
  concurrency: 1,
  concurrency_of_tenant: 10_000,
  transaction: true,
  schedule: null,
}

/** Declares work that is done for one tenant. */
export const tenantJob = <Payload extends z.ZodType>(
  declaration: Declaration<Payload> & HandlerOptions<Payload> & GivenUp<Payload>,
): Job<Payload> => ({ ...DEFAULTS, ...declaration, tenancy: 'tenant' })

/** Declares work of the system itself. */
export const systemJob = <Payload extends z.ZodType>(
  declaration: Declaration<Payload> & HandlerOptions<Payload> & { schedule?: string },
): Job<Payload> => ({ ...DEFAULTS, ...declaration, tenancy: 'system' })
