/** The encrypted credentials of connections, and of those that were given up whose webhooks are still to be removed. */
import { type EncryptedRows, encryptedIn } from '../../db/rekey.ts'
import { type Place, placeOf } from './credentials.ts'

const places = {
  secrets: (place: Place) => placeOf(place, 'secrets'),
  ingest_secret: (place: Place) => placeOf(place, 'ingest_secret'),
}

export const ENCRYPTED_CONNECTIONS: EncryptedRows = {
  one: 'connection',
  many: 'connections',
  tables: [
    encryptedIn('system_connection', { id: 'name', name: 'name', places }),
    encryptedIn('webhook_removal', { id: 'id', name: 'name', places }),
  ],
}
