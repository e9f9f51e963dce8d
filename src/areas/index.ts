/** Every area of the API. */
import './api-keys/schema.ts'
import './company-links/schema.ts'
import './end-companies/schema.ts'
import './integrations/schema.ts'
import './meta/schema.ts'
import './schemas/schema.ts'
import './settings/schema.ts'
import './tenant/schema.ts'
