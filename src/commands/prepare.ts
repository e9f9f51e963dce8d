/** Runs after the packages are installed: prepares what new embedded databases start from, and what starts load. */

import { JOBS } from '../composition/jobs.ts'
import { readEnvironment } from '../config.ts'
import { preparedDirectory } from '../db/migrations/prepared-database.ts'
import { installJobs } from '../jobs/install.ts'
import { compileBundle, makeBundle } from '../process/make-bundle.ts'
import { prepareDemo } from '../process/prepared-demo.ts'

const environment = readEnvironment(process.env)
const directory = await preparedDirectory({ fill: (database) => installJobs(database, environment, JOBS) })
if (!directory) console.warn('The embedded database could not be prepared: its first start takes longer.')

try {
  await makeBundle()
  await compileBundle()
  if (!(await prepareDemo({ environment }, directory)))
    console.warn('The demo could not be prepared: its first start takes longer.')
} catch (error) {
  console.warn(`The service could not be bundled: its starts take longer. ${(error as Error).message}`)
}
