/** Tells from failed statements that the disk of the database is full. Reads may go on then. */
import { isDiskFull } from './errors.ts'

/** Without another failure in this time, there is space again: some write is tried all the time. */
const REMEMBERED_MS = 30_000

export class Disk {
  #timer: NodeJS.Timeout | undefined
  #listener: (is_full: boolean) => void = () => {}

  get is_full(): boolean {
    return this.#timer !== undefined
  }

  /** Calls the listener whenever the disk becomes full, and when it has space again. */
  watch(listener: (is_full: boolean) => void): void {
    this.#listener = listener
  }

  /** The result of the work, whose failure may be that of a full disk. */
  async noting<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work
    } catch (error) {
      if (isDiskFull(error)) this.#note()
      throw error
    }
  }

  #note(): void {
    const was_full = this.is_full
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#listener(false)
    }, REMEMBERED_MS).unref()
    if (!was_full) this.#listener(true)
  }
}
