/** The exports of the area for other areas. */
export { PrincipalType, TenantRole } from './enums.ts'
export { PermissionGroupName } from './permission-group.ts'
export type { GroupName } from './permission-group-catalogue.ts'
export { tenantName } from './provision.ts'
export {
  approversOf,
  emailOfTechnician,
  isSuspended,
  isTechnician,
  namesOfUsers,
  PERMISSION_GROUP,
  readPsaType,
} from './queries.ts'
export { isSuspendedTenant, joinUser, nameOfTenant, tenantWith } from './views.ts'
