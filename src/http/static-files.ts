/** Static files, such as pages and their scripts: compressed when the packages are installed. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { contentTag } from '../lib/entity-tags.ts'

export interface StaticFile {
  headers: Readonly<Record<string, string>>
  make(): string | Buffer | Promise<string | Buffer>
}

/** Files by their path in URLs. */
export type StaticFiles = Readonly<Record<string, StaticFile>>

export const SCRIPT = { 'Content-Type': 'text/javascript; charset=utf-8' }

export const STYLE = { 'Content-Type': 'text/css; charset=utf-8' }

/** A file of `src/pages`, whose files run in the browser. */
export const pageFile = (name: string) => (): Promise<Buffer> =>
  readFile(join(import.meta.dirname, '../pages', name))

type Encoding = 'br' | 'gzip' | 'identity'

/** A file as it is sent: the headers say which encoding this is. */
export interface Encoded {
  headers: Record<string, string>
  body: Buffer
}

/** The best quality takes ten times as long on megabytes of script, for a tenth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

const ENCODERS: Record<Encoding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) => promisify(brotliCompress)(content, BROTLI),
  gzip: (content) => promisify(gzip)(content, { level: 9 }),
  identity: async (content) => content,
}

/** The encoding that `Accept-Encoding` likes best; of equal ones the smallest, and identity if none is named. */
export function encodingFor(accept_encoding = ''): Encoding {
  const qualities = new Map(
    accept_encoding.split(',').map((item) => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
      const q = parameters.find((parameter) => parameter.startsWith('q='))
      return [name.replace(/^x-/, ''), q === undefined ? 1 : Number(q.slice(2)) || 0] as const
    }),
  )
  const of = (name: Encoding): number => qualities.get(name) ?? qualities.get('*') ?? 0
  const smallest = of('br') >= of('gzip') ? 'br' : 'gzip'
  const isLiked = of(smallest) > 0 && of(smallest) >= (qualities.get('identity') ?? 0)
  return isLiked ? smallest : 'identity'
}

const pathIn = (folder: string, path: string, encoding: Encoding): string =>
  join(folder, `${encodeURIComponent(path)}.${encoding}`)

/** Writes the files into the folder, in every encoding. */
export async function writeStaticFiles(folder: string, files: StaticFiles): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [path, { make }] of Object.entries(files)) {
    const content = Buffer.from(await make())
    for (const [encoding, encode] of Object.entries(ENCODERS))
      await writeFile(pathIn(folder, path, encoding as Encoding), await encode(content))
  }
}

/** Loads each encoding of a file once: from the folder of written ones; if that has none, it is made. */
export function staticFileLoader(folder?: string) {
  const made = new Map<StaticFile, Promise<Buffer>>()
  const loaded = new Map<string, Promise<Encoded>>()

  async function contentOf(file: StaticFile): Promise<Buffer> {
    const content = made.get(file) ?? Promise.resolve(file.make()).then(Buffer.from)
    made.set(file, content)
    return await content
  }

  async function load(path: string, file: StaticFile, encoding: Encoding): Promise<Encoded> {
    const written =
      folder === undefined ? null : await readFile(pathIn(folder, path, encoding)).catch(() => null)
    const body = written ?? (await ENCODERS[encoding](await contentOf(file)))
    const encoded = encoding === 'identity' ? {} : { 'Content-Encoding': encoding }
    const vary = ['Accept-Encoding', 'Origin', file.headers.Vary].filter(Boolean).join(', ')
    return { headers: { ...file.headers, ...encoded, Vary: vary, ETag: contentTag(body) }, body }
  }

  return (path: string, file: StaticFile, accept_encoding: string | undefined): Promise<Encoded> => {
    const encoding = encodingFor(accept_encoding)
    const key = `${encoding} ${path}`
    const loading = loaded.get(key) ?? load(path, file, encoding)
    loaded.set(key, loading)
    loading.catch(() => {
      loaded.delete(key)
      made.delete(file)
    })
    return loading
  }
}
