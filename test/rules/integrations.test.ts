import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { monogram, monograms } from '../../src/areas/integrations/monogram.ts'
import {
  CATEGORIES,
  type Integration,
  integrationNamed,
  integrationOf,
  REGISTRY,
  validateRegistry,
} from '../../src/areas/integrations/registry.ts'
import {
  findListed,
  isDocsUrl,
  limitDecision,
  nextRequestAt,
  REQUESTS,
  secondsUntil,
} from '../../src/areas/integrations/rules.ts'

const HOUR_MS = 60 * 60 * 1000
const WINDOW_MS = 168 * HOUR_MS

describe('the standing with the limit', () => {
  it('counts what is in the window, and agrees with the next request', () => {
    const ages = fc.array(fc.integer({ min: 0, max: 2 * WINDOW_MS }), { maxLength: REQUESTS.quota })
    fc.assert(
      fc.property(ages, (sent) => {
        const now = new Date('2026-11-21T12:00:00.000Z')
        const accepted = sent.map((age) => new Date(now.getTime() - age))
        const standing = limitDecision(accepted, now)
        const counted = sent.filter((age) => age < WINDOW_MS)
        expect(standing.remaining).toBe(REQUESTS.quota - counted.length)
        expect(standing.allowed).toBe(nextRequestAt(accepted, now) === null)
        const whole = counted.length === 0 ? 0 : WINDOW_MS - Math.min(...counted)
        expect(standing.reset_seconds).toBe(Math.ceil(whole / 1000))
      }),
    )
  })
})

describe('requests from the future, if the clock was set back', () => {
  it('count as sent now, so that nobody waits for longer than the window', () => {
    const now = new Date('2026-11-21T12:00:00.000Z')
    const accepted = [1, 2, 3, 4, 5].map((hours) => new Date(now.getTime() + hours * HOUR_MS + WINDOW_MS))
    expect(limitDecision(accepted, now)).toMatchObject({
      allowed: false,
      remaining: 0,
      reset_seconds: 604_800,
      retry_after_seconds: 604_800,
    })
  })
})

describe('the registry', () => {
  it('has the 38 systems of every category', () => {
    expect(REGISTRY).toHaveLength(38)
    const counts = CATEGORIES.map((wanted) => REGISTRY.filter(({ category }) => category === wanted).length)
    expect(counts).toEqual([6, 7, 4, 6, 3, 3, 2, 2, 2, 3])
  })

  it('names each by its system, in lower case with hyphens', () => {
    for (const integration of REGISTRY) {
      expect(integration.system).toMatch(/^[A-Z0-9]+(_[A-Z0-9]+)*$/)
      expect(integration.name).toBe(integration.system.toLowerCase().replaceAll('_', '-'))
      expect(integrationNamed(integration.name)).toBe(integration)
      expect(integrationOf(integration.system)).toBe(integration)
    }
  })

  it('gives each a label of its own', () => {
    expect(new Set(REGISTRY.map(({ label }) => label)).size).toBe(38)
  })

  const [first, ...others] = REGISTRY as readonly [Integration, ...Integration[]]
  const [second] = others as [Integration]

  it.each([
    ['chat-app', [{ ...first, name: 'chat-app' }, ...others], 'chat-app is a route'],
    ['requests', [{ ...first, name: 'requests' }, ...others], 'requests is a route'],
    ['a duplicate', [{ ...first, name: second.name }, ...others], `${second.name} is there twice`],
    ['one too few', others, 'there are 37 integrations, not 38'],
    ['one too many', [{ ...first, name: 'new' }, ...REGISTRY], 'there are 39 integrations, not 38'],
    ['a glyph of three letters', [{ ...first, glyph: 'ABC' }, ...others], 'not one or two letters'],
    ['a glyph of markup', [{ ...first, glyph: '<' }, ...others], 'not one or two letters'],
  ])('refuses %s at load', (_what, integrations, problem) => {
    expect(() => validateRegistry(integrations)).toThrow(problem)
  })
})

describe('a monogram', () => {
  it('is the glyph as SVG without scripts, styles or links', () => {
    const svg = monogram({ glyph: 'S1', category: 'SECURITY' })
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*>S1<\/text><\/svg>$/)
    expect(svg).not.toMatch(/script|style=|href|on\w+=/)
  })

  it('has a path for every integration', () => {
    expect(Object.keys(monograms())).toHaveLength(38)
    expect(monograms()['/public-api/integrations/it-glue/logo.svg']?.make()).toContain('>IG<')
  })
})

describe('a vendor', () => {
  it.each([
    ['HaloPSA', 'halo-psa'],
    ['halo psa', 'halo-psa'],
    ['Halo-PSA', 'halo-psa'],
    ['it glue', 'it-glue'],
    ['I.T. Glue', 'it-glue'],
    ['IT_GLUE', 'it-glue'],
    ['  microsoft   entra ID ', 'microsoft-entra-id'],
    ['ＯＫＴＡ', 'okta'],
    ['TD/SYNNEX', 'td-synnex'],
  ])('%j is listed as %s', (vendor_name, name) => {
    expect(findListed(vendor_name)?.name).toBe(name)
  })

  it.each(['Halo', 'Okta Verify', 'Acme Backup', 'ÖKTA', '!!!', ' ', ''])(
    '%j is not listed',
    (vendor_name) => {
      expect(findListed(vendor_name)).toBeUndefined()
    },
  )

  it('is listed however its label and name are spaced and cased', () => {
    const separators = fc.constantFrom('', ' ', '-', '_', '.', ' / ')
    fc.assert(
      fc.property(
        fc.constantFrom(...REGISTRY),
        fc.array(separators),
        fc.boolean(),
        (known, between, upper) => {
          const letters = [...(upper ? known.label.toUpperCase() : known.name)]
          const spelled = letters.map((letter, index) => letter + (between[index] ?? '')).join('')
          expect(findListed(spelled)).toBe(known)
        },
      ),
    )
  })
})

describe('a docs_url', () => {
  it.each([
    'https://example.com',
    'http://example.com:8080/docs?version=2#auth',
    'HTTPS://EXAMPLE.COM/a%20b',
    'https://bücher.example/@handle',
    'https://[::1]/docs',
  ])('may be %s', (url) => {
    expect(isDocsUrl(url)).toBe(true)
  })

  it.each([
    'example.com/docs',
    'ftp://example.com',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://',
    'https:///',
    'https:example.com',
    'https:/example.com',
    'https:///example.com',
    'https:\\\\example.com',
    'https://example.com/\u0007',
    'https://user@example.com',
    'https://user:secret@example.com',
    'https://:secret@example.com',
    'https://exa mple.com',
    'https://example.com/a b',
    'https://exa\nmple.com',
    'https://[::1',
    '//example.com',
    '',
  ])('cannot be %j', (url) => {
    expect(isDocsUrl(url)).toBe(false)
  })
})

describe('the next request', () => {
  const now = new Date('2026-11-21T12:00:00.000Z')
  const ago = (ms: number) => new Date(now.getTime() - ms)

  it.each([0, 1, 2, 3, 4])('may be sent now after %i in the window', (count) => {
    const accepted = Array.from({ length: count }, (_, index) => ago(index * HOUR_MS))
    expect(nextRequestAt(accepted, now)).toBeNull()
  })

  it('waits after five until the oldest of them leaves the window', () => {
    const accepted = [5, 1, 167, 3, 2].map((hours) => ago(hours * HOUR_MS))
    expect(nextRequestAt(accepted, now)).toEqual(new Date(now.getTime() + HOUR_MS))
  })

  it.each([
    [WINDOW_MS - 1, false],
    [WINDOW_MS, true],
    [WINDOW_MS + 1, true],
  ])('may be sent when the oldest of five is %i milliseconds old: %s', (age, allowed) => {
    const accepted = [age, 4, 3, 2, 1].map(ago)
    expect(nextRequestAt(accepted, now) === null).toBe(allowed)
  })

  it('counts requests of a process whose clock is ahead, as sent now', () => {
    const accepted = [-5000, -4000, -3000, -2000, -1000].map(ago)
    expect(nextRequestAt(accepted, now)).toEqual(new Date(now.getTime() + WINDOW_MS))
  })

  it('never lets a window of 168 hours hold more than five, in whatever order clocks run', () => {
    const attempts = fc.array(fc.integer({ min: 0, max: 30 * 24 * 60 }), { maxLength: 80 })
    fc.assert(
      fc.property(attempts, (minutes) => {
        const accepted: Date[] = []
        for (const minute of minutes) {
          const at = new Date(now.getTime() + minute * 60_000)
          if (nextRequestAt(accepted, at) === null) accepted.push(at)
        }
        for (const start of accepted) {
          const end = start.getTime() + WINDOW_MS
          const held = accepted.filter((at) => at >= start && at.getTime() < end)
          expect(held.length).toBeLessThanOrEqual(REQUESTS.quota)
        }
      }),
    )
  })

  it('may be sent at the instant it was put off to, and not a millisecond sooner', () => {
    const ages = fc.array(fc.integer({ min: 0, max: WINDOW_MS + HOUR_MS }), { minLength: 5, maxLength: 9 })
    fc.assert(
      fc.property(ages, (all) => {
        const accepted = all.map(ago)
        const next = nextRequestAt(accepted, now)
        fc.pre(next !== null)
        if (!next) return
        expect(nextRequestAt(accepted, next)).toBeNull()
        expect(nextRequestAt(accepted, new Date(next.getTime() - 1))).toEqual(next)
      }),
    )
  })

  it.each([
    [1, 1],
    [999, 1],
    [1000, 1],
    [1001, 2],
    [604_800_000, 604_800],
  ])('%i milliseconds away is %i whole seconds', (ms, seconds) => {
    expect(secondsUntil(ago(-ms), now)).toBe(seconds)
  })
})
