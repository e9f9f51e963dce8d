/** Requests to vendors. */

export interface VendorRequest {
  /** A path of the vendor's site, such as `/v1/tickets`. */
  path: string
  query?: Readonly<Record<string, string | number>>
  headers?: Readonly<Record<string, string>>
  /** The most bytes of the answer, if they are others than usual. */
  max_bytes?: number
}

export interface VendorWrite extends VendorRequest {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  json?: unknown
  form?: Readonly<Record<string, string>>
}

export function urlOf(site: URL, { path, query = {} }: VendorRequest): URL {
  const url = new URL(site)
  // Assigned, so that no path names another host.
  url.pathname = path
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  return url
}

export function bodyOf({ json, form }: VendorWrite): { content_type: string; body: string } | null {
  if (form) {
    const body = new URLSearchParams(form).toString()
    return { content_type: 'application/x-www-form-urlencoded', body }
  }
  return json === undefined ? null : { content_type: 'application/json', body: JSON.stringify(json) }
}
