/** The turns for connections: tenants take turns, and none has more than its share while another one is there. */
import { type ExpiringSet, expiringSet } from '../../lib/expiring-set.ts'

/** A request for a connection. */
export interface Claim {
  /** null: the service itself, which has no share. */
  tenant_id: string | null
  /** The work holds a connection already, which it gives back only after it has had another one. */
  holds_one: boolean
}

interface Waiting {
  begin(): void
  timer: NodeJS.Timeout
}

/** A tenant with connections, or with work that waits for one. */
interface Party {
  held: number
  readonly waiting: Waiting[]
}

interface Options {
  size: number
  /** The maximum number that waits. A tenant may be half of it. */
  max_waiting: number
  patience_ms: number
  /** Monotonic milliseconds. */
  elapsed?: () => number
}

/** A tenant that wanted a connection in this time may want the next one. */
const PRESENT_MS = 1000

// Contract silent: beside another tenant, one whose work takes long has an eighth of the connections, one at least.
const LONG_MS = 100
const PART = 2
const PART_OF_LONG = 8
const REMEMBERED_TENANTS = 1000

/**
 * A tenant that is alone may have every connection. While another one is there it has at most half of them, so that one
 * is free when the other asks for it; if its work takes long it has an eighth, so that the database has time for others.
 * Work that holds a connection waits for no share, and there is one connection more for it: however many transactions are
 * open, none waits for itself.
 */
export class ConnectionShares {
  readonly #options: Options
  readonly #elapsed: () => number
  /** The tenants that have just had a connection for long. */
  readonly #long: ExpiringSet
  /** In the order of their turns. */
  readonly #parties = new Map<string | null, Party>()
  readonly #holders: Party = { held: 0, waiting: [] }
  #held = 0
  #waiting = 0
  #waiting_tenants = 0
  /** The tenant that asked last, and the last one that is another. */
  #last = { tenant_id: '', at: Number.NEGATIVE_INFINITY }
  #last_other = this.#last

  constructor(options: Options) {
    this.#options = options
    this.#elapsed = options.elapsed ?? (() => performance.now())
    this.#long = expiringSet(REMEMBERED_TENANTS, PRESENT_MS / 1000, this.#elapsed)
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Waits for a connection; the result gives it back. */
  async take({ tenant_id, holds_one }: Claim): Promise<() => void> {
    const now = this.#elapsed()
    if (tenant_id !== null) this.#note(tenant_id, now)
    const party = holds_one ? this.#holders : this.#partyOf(tenant_id)
    if (party.waiting.length > 0 || !this.#mayBegin(tenant_id, party, now)) await this.#wait(tenant_id, party)
    else this.#begin(party)
    const began_at = this.#elapsed()
    return () => {
      if (tenant_id !== null && this.#elapsed() - began_at >= LONG_MS) this.#long.add(tenant_id)
      this.#release(tenant_id, party)
    }
  }

  #note(tenant_id: string, at: number): void {
    if (this.#last.tenant_id !== tenant_id) this.#last_other = this.#last
    this.#last = { tenant_id, at }
  }

  #partyOf(tenant_id: string | null): Party {
    let party = this.#parties.get(tenant_id)
    if (!party) {
      party = { held: 0, waiting: [] }
      this.#parties.set(tenant_id, party)
    }
    return party
  }

  #isAlone(tenant_id: string, party: Party, now: number): boolean {
    const others = this.#waiting_tenants - (party.waiting.length > 0 ? 1 : 0)
    const { at } = this.#last.tenant_id === tenant_id ? this.#last_other : this.#last
    return others === 0 && now - at > PRESENT_MS
  }

  #mayBegin(tenant_id: string | null, party: Party, now: number): boolean {
    if (party === this.#holders) return this.#held <= this.#options.size
    if (this.#held >= this.#options.size) return false
    return tenant_id === null || party.held < this.#shareOf(tenant_id) || this.#isAlone(tenant_id, party, now)
  }

  #shareOf(tenant_id: string): number {
    const part = this.#long.has(tenant_id) ? PART_OF_LONG : PART
    return Math.max(1, Math.floor(this.#options.size / part))
  }

  #begin(party: Party): void {
    party.held++
    this.#held++
  }

  #wait(tenant_id: string | null, party: Party): Promise<void> {
    const { max_waiting, patience_ms } = this.#options
    const most = tenant_id === null ? max_waiting : max_waiting / 2
    if (this.#waiting >= max_waiting || party.waiting.length >= most) {
      this.#forget(tenant_id, party)
      throw new Error('Too many statements wait for a connection')
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        begin: resolve,
        timer: setTimeout(() => {
          this.#leave(tenant_id, party, party.waiting.indexOf(waiting))
          this.#forget(tenant_id, party)
          reject(new Error('The timeout expired in the wait for a connection'))
        }, patience_ms),
      }
      party.waiting.push(waiting)
      this.#waiting++
      if (this.#isTenant(tenant_id, party) && party.waiting.length === 1) this.#waiting_tenants++
    })
  }

  #isTenant(tenant_id: string | null, party: Party): boolean {
    return tenant_id !== null && party !== this.#holders
  }

  #leave(tenant_id: string | null, party: Party, index: number): Waiting | undefined {
    const [waiting] = party.waiting.splice(index, 1)
    this.#waiting--
    if (this.#isTenant(tenant_id, party) && party.waiting.length === 0) this.#waiting_tenants--
    return waiting
  }

  #forget(tenant_id: string | null, party: Party): void {
    if (party !== this.#holders && party.held === 0 && party.waiting.length === 0)
      this.#parties.delete(tenant_id)
  }

  #release(tenant_id: string | null, party: Party): void {
    party.held--
    this.#held--
    if (this.#waiting > 0) this.#beginNext()
    this.#forget(tenant_id, party)
  }

  #beginNext(): void {
    const now = this.#elapsed()
    for (let next = this.#next(now); next; next = this.#next(now)) {
      const [tenant_id, party] = next
      this.#begin(party)
      const waiting = this.#leave(tenant_id, party, 0)
      clearTimeout(waiting?.timer)
      waiting?.begin()
    }
  }

  /** Those that hold a connection, or else the first party that may begin, whose next turn comes after the others'. */
  #next(now: number): [string | null, Party] | undefined {
    const holders = this.#holders
    if (holders.waiting.length > 0 && this.#mayBegin(null, holders, now)) return [null, holders]
    for (const [tenant_id, party] of this.#parties) {
      if (party.waiting.length === 0 || !this.#mayBegin(tenant_id, party, now)) continue
      this.#parties.delete(tenant_id)
      this.#parties.set(tenant_id, party)
      return [tenant_id, party]
    }
    return undefined
  }
}
