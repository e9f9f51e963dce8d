/** The fixed ids of the demo MSP, so that examples hold at every start. */
import type { Role } from './policies/roles.ts'

export const DEMO_TENANT_ID = 'ten_demo'
export const DEMO_KEY_ID = 'key_demo'

/** The identity provider's name for the demo user of each role. */
export const DEMO_SUBJECTS: Readonly<Record<Role, string>> = {
  OWNER: 'demo-owner',
  ADMIN: 'demo-admin',
  USER: 'demo-user',
  VIEWER: 'demo-viewer',
}
