/**
 * Answers of other systems that the work of a transaction needs. A transaction holds a connection, and others are slow:
 * work that asks for an answer is rolled back, and done again once the answer is there.
 */

/** The work goes no further without an answer. */
export class NeedsExternalRead extends Error {
  constructor() {
    super('An answer of another system is needed')
  }
}

type Ask = () => Promise<unknown>

export class ExternalReads {
  readonly #answers = new Map<string, Promise<unknown>>()
  readonly #asked = new Map<string, Ask>()

  /** The answer to the question, which may be an error; rejects with NeedsExternalRead until it is there. */
  async read(question: string, ask: Ask): Promise<unknown> {
    const answer = this.#answers.get(question)
    if (answer) return await answer
    this.#asked.set(question, ask)
    throw new NeedsExternalRead()
  }

  /** Asks everything that was asked for, at once. */
  async fetch(): Promise<void> {
    for (const [question, ask] of this.#asked) this.#answers.set(question, ask())
    this.#asked.clear()
    await Promise.allSettled(this.#answers.values())
  }
}
