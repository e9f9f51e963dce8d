/** A queue with one reader who waits for the next item. */
export class Mailbox<Item> {
  readonly #items: Item[] = []
  #waiting: PromiseWithResolvers<Item> | null = null
  #failure: { error: unknown } | null = null

  /** The items that are not taken yet. */
  get size(): number {
    return this.#items.length
  }

  /** The first of them. */
  get oldest(): Item | undefined {
    return this.#items[0]
  }

  push(item: Item): void {
    if (this.#failure) return
    if (!this.#waiting) {
      this.#items.push(item)
      return
    }
    this.#waiting.resolve(item)
    this.#waiting = null
  }

  /** The waiting call, and every later call of `next`, gets the error: at once, whatever was not taken. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.#waiting?.reject(error)
    this.#waiting = null
  }

  async next(): Promise<Item> {
    if (this.#failure) throw this.#failure.error
    const item = this.#items.shift()
    if (item !== undefined) return item
    this.#waiting = Promise.withResolvers<Item>()
    return await this.#waiting.promise
  }
}
