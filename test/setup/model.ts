/** The model of the worker's service, as a test wants it. */
import { onTestFinished } from 'vitest'
import { openAiCompatibleModel } from '../../src/connectors/model/openai-compatible.ts'
import type { Model } from '../../src/connectors/model.ts'
import { type Running, testApp } from './app.ts'
import { type ModelServer, modelServer, type Script } from './model-server.ts'

/** The service thinks with this model until the test ends; null: none is configured. */
export async function useModel(model: Model | null, running?: Pick<Running, 'app'>): Promise<void> {
  const { services } = (running ?? (await testApp())).app
  const before = services.model
  services.model = model
  onTestFinished(() => {
    services.model = before
  })
}

/** The service thinks with a model that plays the script until the test ends. */
export async function playModel(script: Script, running?: Pick<Running, 'app'>): Promise<ModelServer> {
  const server = await modelServer(script)
  onTestFinished(() => server.close())
  await useModel(
    openAiCompatibleModel({ base_url: server.base_url, api_key: null, name: 'scripted', pause_ms: 5 }),
    running,
  )
  return server
}

/** A model that reads each of the tickets, writes the note on it and ends. */
export const notingScript = (
  ticket_ids: readonly string[],
  note: { text: string; visibility: string },
): Script =>
  ticket_ids.flatMap((ticket_id) => [
    { calls: [{ tool: 'ticket.read', args: { ticket_id } }] },
    { calls: [{ tool: 'ticket.add_note', args: { ticket_id, ...note } }] },
    {
      calls: [{ tool: 'run.finish', args: { message: 'It is done.', resolution: 'FULL', confidence: 0.9 } }],
    },
  ])

/** Requests to the model have at most so many characters until the test ends. */
export async function limitRequests(characters: number): Promise<void> {
  const { services } = (await testApp()).app
  const before = services.model_request_characters
  services.model_request_characters = characters
  onTestFinished(() => {
    services.model_request_characters = before
  })
}
