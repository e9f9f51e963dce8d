/** The router: finds the operation of a method and path. */
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { ApiError, methodNotAllowed } from '../errors/errors.ts'
import { METHODS } from '../gateway/operation.ts'
import { BASE_PATH } from '../lib/api.ts'
import type { SofaRoute } from './sofa.ts'

interface Match<Target> {
  target: Target
  params: Record<string, string | undefined>
}

/** The targets of paths, by method. */
export interface Routes<Target> {
  /** The target of a request; 404 and 405 otherwise. HEAD means GET. */
  match(method: string, path: string): Match<Target>
  /** The methods of a path, for `Allow`; none if there is nothing. */
  allowed(path: string): string[]
}

type Route = Pick<SofaRoute, 'method' | 'path'>

export function createRoutes<Target extends object>(targets: ReadonlyMap<Route, Target>): Routes<Target> {
  const router = findMyWay({ caseSensitive: true, maxParamLength: 2048 })
  const on = ({ method, path }: Route, target: Target | null) =>
    router.on(method, BASE_PATH + path, () => {}, target)
  for (const [route, target] of targets) on(route, target)

  // A path without parameters wins over one with an id also for methods that it does not have: 405.
  for (const path of new Set([...targets.keys()].map(({ path }) => path))) {
    if (path.includes(':')) continue
    for (const method of METHODS) {
      if (!router.hasRoute(method, BASE_PATH + path)) on({ method, path }, null)
    }
  }

  const find = (method: string, path: string) => {
    try {
      const found = router.find(method as HTTPMethod, path)
      return found?.store ? found : null
    } catch {
      return null
    }
  }

  function allowed(path: string): string[] {
    const methods = METHODS.filter((method) => find(method, path))
    if (methods.length === 0) return []
    return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
  }

  return {
    match(method, path) {
      const found = find(method === 'HEAD' ? 'GET' : method, path)
      if (found) return { target: found.store as Target, params: found.params }
      const allow = allowed(path)
      if (allow.length === 0) throw new ApiError('not_found')
      throw methodNotAllowed(allow)
    },
    allowed,
  }
}
