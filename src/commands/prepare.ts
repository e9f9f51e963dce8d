/** Runs after the packages are installed: prepares what new embedded databases start from. */
import { preparedDirectory } from '../db/migrations/prepared-database.ts'

const directory = await preparedDirectory()
if (!directory) console.warn('The embedded database could not be prepared: its first start takes longer.')
