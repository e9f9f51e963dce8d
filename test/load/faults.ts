/** Faults of a vendor, which a seed chooses. */
import type { Fault } from '../doubles/vendor.ts'

const KINDS: readonly Fault[] = ['TOO_MANY_WAIT', 'TOO_MANY_BARE', 'ERROR', 'UNAVAILABLE', 'LOST']

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Each request fails with this probability, by one of the faults. */
export function faultsOf(seed: number, share: number, kinds = KINDS): () => Fault | undefined {
  const random = randomOf(seed)
  return () => (random() < share ? kinds[Math.floor(random() * kinds.length)] : undefined)
}
