/** Certificates of `receiver.example`, each signed by itself with the key. */

const pem = (kind: string, ...lines: string[]): string =>
  `-----BEGIN ${kind}-----\n${lines.join('\n')}\n-----END ${kind}-----\n`

export const KEY = pem(
  'PRIVATE KEY',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSjkQotTW7rzEViof',
  'o/LCGCRJXEYQPBcN4ERgQN/lhbehRANCAAQWfH5StHQyqvSl+ybOJTKXZGWqPviQ',
  'RoQ+b5cWLW9yW3OEeltl+UY8pFmqecLwbTybP43cTUCbPjZWgRuOpsB0',
)

/** From 2020 to 2119. */
export const VALID = pem(
  'CERTIFICATE',
  'MIIBVzCB/qADAgECAgIISDAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBByZWNlaXZl',
  'ci5leGFtcGxlMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAbMRkw',
  'FwYDVQQDDBByZWNlaXZlci5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD',
  'QgAEFnx+UrR0Mqr0pfsmziUyl2Rlqj74kEaEPm+XFi1vcltzhHpbZflGPKRZqnnC',
  '8G08mz+N3E1Amz42VoEbjqbAdKMwMC4wDwYDVR0TAQH/BAUwAwEB/zAbBgNVHREE',
  'FDASghByZWNlaXZlci5leGFtcGxlMAoGCCqGSM49BAMCA0gAMEUCIBEe+Y3XYNwH',
  'pPNqD3f4x1QElSCgawFXxj2pXEXZCkplAiEAuyQWcPiqDsVtxloPNTyOMVx2Y9kG',
  'G3Wkhvy3pRrWPQA=',
)

/** From 2020 to 2020. */
export const EXPIRED = pem(
  'CERTIFICATE',
  'MIIBVDCB/KADAgECAgIH5TAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBByZWNlaXZl',
  'ci5leGFtcGxlMB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAwMDAwMFowGzEZMBcG',
  'A1UEAwwQcmVjZWl2ZXIuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA',
  'BBZ8flK0dDKq9KX7Js4lMpdkZao++JBGhD5vlxYtb3Jbc4R6W2X5RjykWap5wvBt',
  'PJs/jdxNQJs+NlaBG46mwHSjMDAuMA8GA1UdEwEB/wQFMAMBAf8wGwYDVR0RBBQw',
  'EoIQcmVjZWl2ZXIuZXhhbXBsZTAKBggqhkjOPQQDAgNHADBEAiBPfhV6lJ8BAIwS',
  'YevRpRhjswONpLupxHbVSomeL2OQlgIgCHmyoWJGZDr5qyW0bD1WM9+MvH1sgLBz',
  '6/6sz25pN2c=',
)
