/** Who asks: on behalf of whom the requests of a call are made. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Asker, Pace } from '../port.ts'

const present = new AsyncLocalStorage<Asker>()

/** The one on whose behalf the code runs. */
export const presentAsker = (): Asker & { pace: Pace } => ({ pace: 'PERSON', ...present.getStore() })

/** Makes the call on behalf of the asker. */
export const onBehalfOf = <Result>(asker: Asker, call: () => Promise<Result>): Promise<Result> =>
  present.run(asker, call)
