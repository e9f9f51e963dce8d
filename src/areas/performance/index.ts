/** The exports of the area for other areas: sums over windows, and how windows are read and answered. */

export { BUCKET, BUCKETS, bucketParameters } from './buckets.ts'
export { BOUNDS, boundsOf, OF_TENANT, partsOf } from './queries.ts'
export { RETENTION_DAYS, retentionWarnings, since } from './rules.ts'
export { askedWindow, type NamedWindow, PerformanceWindow } from './window.ts'
