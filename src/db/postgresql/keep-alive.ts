/** A connection whose other end is gone without a word is noticed while it is idle, too: the system's default is two hours. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }
