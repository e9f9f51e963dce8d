/** The rules of the documentation quota. */

/** The default allowance of a tenant: that of the model. */
// Contract silent: 5 GiB and ten thousand files.
export const DEFAULT_ALLOWANCE = { limit_bytes: 5 * 1024 ** 3, limit_files: 10_000 } as const

interface Storage {
  used_bytes: number
  limit_bytes: number
  used_files: number
  limit_files: number
}

const share = (used: number, limit: number): number => (limit > 0 ? used / limit : Number(used > 0))

// Contract silent: bytes and files are both limited, and the percentage is that of the limit which is nearer.
/** The percentage that is used of the nearer limit, to two decimals; more than 100 after an allowance was reduced. */
export const usedPct = ({ used_bytes, limit_bytes, used_files, limit_files }: Storage): number =>
  Math.round(Math.max(share(used_bytes, limit_bytes), share(used_files, limit_files)) * 10_000) / 100
