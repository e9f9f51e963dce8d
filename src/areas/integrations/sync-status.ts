import { enumFrom } from '../../schema/builder.ts'

/** The status of a sync. */
export const SyncStatus = enumFrom('SyncStatus')
