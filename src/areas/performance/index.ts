/** The exports of the area for other areas: sums over windows, and how windows are read and answered. */

export { BUCKET, BUCKETS, bucketParameters } from './buckets.ts'
export { BOUNDS, boundsOf, creditEntries, hasWorkedSince, partsOf } from './queries.ts'
export { RETENTION_DAYS, retentionWarnings, since } from './rules.ts'
export { countTicketReceived } from './tickets-received.ts'
export { askedWindow, PerformanceWindow } from './window.ts'
