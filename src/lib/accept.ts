/** The header `Accept`. */

interface Range {
  type: string
  quality: number
}

const rangesOf = (accept: string): Range[] =>
  accept
    .toLowerCase()
    .split(',')
    .map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))
      return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }
    })

/** True if the header names the media type itself, and neither a type before it nor a better one is `application/json`. */
export function prefersOverJson(accept: string | undefined, media_type: string): boolean {
  const ranges = rangesOf(accept ?? '').toSorted((a, b) => b.quality - a.quality)
  const first = ranges.find(({ type }) => type === media_type || type === 'application/json')
  return first !== undefined && first.type === media_type && first.quality > 0
}
