/** `npm run demo`: plays the work of an agent in the terminal, on a service and a database of its own. */
import { runCommand } from './command.ts'
import { callsOf } from './demo/calls.ts'
import { withService } from './demo/service.ts'
import { tellStory } from './demo/story.ts'
import { write } from './demo/words.ts'

await runCommand(async () => {
  write('Starting the service on a database of its own, with the demo MSP: some seconds …')
  await withService(async (service, signal) => {
    await tellStory(callsOf(service, signal), service)
  })
})
