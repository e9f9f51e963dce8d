/** IANA time zones. */

const NAME = /^[A-Za-z]+(?:[/_+-][A-Za-z0-9_+-]+)*$/
const OFFSET = /^(?:UTC|GMT)?[+-]\d/

// Intl lists only its canonical names; these are the zones with other spellings that it loads too.
const UNLISTED = [
  'UTC',
  'GMT',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Yangon',
  'Asia/Ho_Chi_Minh',
  'Europe/Kyiv',
]

let listed: readonly string[] | undefined

const zoneNames = (): readonly string[] => {
  listed ??= [...new Set([...Intl.supportedValuesOf('timeZone'), ...UNLISTED])]
  return listed
}

function loads(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Whether another letter case of the name is a listed zone. */
const isMiscased = (name: string): boolean =>
  !zoneNames().includes(name) && zoneNames().some((zone) => zone.toLowerCase() === name.toLowerCase())

/** Whether the name is an IANA zone the service can load, in its own letter case; an offset is no zone. */
export const isZoneName = (name: string): boolean =>
  NAME.test(name) && !OFFSET.test(name) && loads(name) && !isMiscased(name)

/** Zones that a name may have been meant for. */
export function suggestions(name: string): string[] {
  const wanted = name.toLowerCase().replaceAll(' ', '_')
  const city = wanted.split('/').at(-1) ?? wanted
  const same = zoneNames().filter((zone) => zone.toLowerCase() === wanted)
  const alike = zoneNames().filter((zone) => city.length > 2 && zone.toLowerCase().includes(city))
  return [...new Set([...same, ...alike])].slice(0, 5)
}
