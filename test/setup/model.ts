/** The model of the worker's service, as a test wants it. */
import { onTestFinished } from 'vitest'
import type { Model } from '../../src/connectors/model.ts'
import { testApp } from './app.ts'

/** The service thinks with this model until the test ends; null: none is configured. */
export async function useModel(model: Model | null): Promise<void> {
  const { services } = (await testApp()).app
  const before = services.model
  services.model = model
  onTestFinished(() => {
    services.model = before
  })
}
