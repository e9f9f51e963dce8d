/** `npm run tenant`, in the process of the test. */
import { readArguments } from '../../src/commands/tenant/arguments.ts'
import { run } from '../../src/commands/tenant/run.ts'
import { ENVIRONMENT, KEY_PEPPER } from './app.ts'
import { testDatabase } from './database.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read any command's result
type Result = any

/** The output of the command. */
export async function tenantCommand(...args: string[]): Promise<Result> {
  const asked = readArguments(args)
  if (!asked) throw new Error('The command asked for help')
  const place = {
    database: await testDatabase(),
    environment: ENVIRONMENT,
    key_peppers: [KEY_PEPPER] as const,
  }
  return (await run(place, asked)).result
}
