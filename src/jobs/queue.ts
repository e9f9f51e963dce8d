/** The names of queues. Processes of several environments may share a database. */
import type { Job } from './job.ts'

/**
 * A tenant's jobs carry their environment, and a worker takes those of its own. Each environment has its own queue of a
 * job of the system.
 */
export const queueOf = (environment: string, { name, tenancy }: Pick<Job, 'name' | 'tenancy'>): string =>
  tenancy === 'system' ? `${environment}/${name}` : name

/** A job’s environment, of which a worker takes the jobs; that of a job of the system is in the name of its queue. */
export const ENVIRONMENT_OF = (job: string): string =>
  `coalesce(${job}.data -> 'tenancy' ->> 'environment', '')`

/** The tenant whose turn a job takes; empty for the system. */
export const TENANT_OF = (job: string): string => `coalesce(${job}.data -> 'tenancy' ->> 'tenant_id', '')`

/** A condition in SQL: the job, of a queue with the name, is of the environment. */
export const isOf = (environment: string, job: string, queue: string): string =>
  `(${ENVIRONMENT_OF(job)} = ${environment} or starts_with(${queue}, ${environment} || '/'))`
