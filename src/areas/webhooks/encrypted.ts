/** The encrypted secrets of endpoints. */
import { type EncryptedRows, encryptedIn } from '../../db/rekey.ts'
import type { Tenancy } from '../../db/tenancy/context.ts'
import { placeOf } from './secrets.ts'

const placeOfSecret = ({ name: id, ...tenancy }: Tenancy & { name: string }) => placeOf({ ...tenancy, id })

export const ENCRYPTED_ENDPOINTS: EncryptedRows = {
  one: 'webhook endpoint',
  many: 'webhook endpoints',
  tables: [
    encryptedIn('webhook_endpoint', {
      id: 'id',
      name: 'id',
      places: { secret: placeOfSecret, previous_secret: placeOfSecret },
    }),
  ],
}
