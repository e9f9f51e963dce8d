/** The roles that a user can have in the dashboard, the highest first: each may do what those after it may. */
export const ROLES = ['OWNER', 'ADMIN', 'USER', 'VIEWER'] as const
export type Role = (typeof ROLES)[number]

/** True if `role` is `least` or above it. */
export const isAtLeast = (role: Role, least: Role): boolean => ROLES.indexOf(role) <= ROLES.indexOf(least)
