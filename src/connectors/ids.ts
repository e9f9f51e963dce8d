/** Ids of things in systems that count them. */

/** Ids are positive 32-bit integers. null: no id of anything there. */
export function idOf(text: string): number | null {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0
  return id > 0 && id < 2 ** 31 ? id : null
}
