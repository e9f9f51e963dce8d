/** Which operation a path and method mean. */
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { ApiError } from '../errors.ts'
import { METHODS, type Operation } from '../graphql/operation.ts'
import { BASE_PATH } from '../lib/api.ts'

interface Match<Target> {
  target: Target
  params: Record<string, string | undefined>
}

/** What can be found at a path: by method, the target. */
export interface Routes<Target> {
  add(operation: Operation['rest'], target: Target): void
  /** The target of a request; 404 and 405 otherwise. HEAD means GET. */
  match(method: string, path: string): Match<Target>
  /** The methods of a path, for `Allow`; none where there is nothing. */
  allowed(path: string): string[]
}

export function createRoutes<Target>(): Routes<Target> {
  const router = findMyWay({ caseSensitive: true, maxParamLength: 2048 })
  const find = (method: string, path: string) => {
    try {
      return router.find(method as HTTPMethod, path)
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
    add({ method, path }, target) {
      router.on(method, BASE_PATH + path.replace(/\{(\w+)\}/g, ':$1'), () => {}, target)
    },
    match(method, path) {
      const found = find(method === 'HEAD' ? 'GET' : method, path)
      if (found) return { target: found.store as Target, params: found.params }
      const allow = allowed(path)
      if (allow.length === 0) throw new ApiError('not_found')
      throw new ApiError('method_not_allowed', { details: { allow }, headers: { Allow: allow.join(', ') } })
    },
    allowed,
  }
}
