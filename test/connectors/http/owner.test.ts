import { expect, it } from 'vitest'
import { ownAddress } from '../../../src/connectors/http/owner.ts'

it.each([
  ['https://webservices5.autotask.net/x', 'https://webservices.autotask.net', true],
  ['https://autotask.net/', 'https://webservices.autotask.net', true],
  ['https://autotask.net.evil.example/', 'https://webservices.autotask.net', false],
  ['https://evilautotask.net/', 'https://webservices.autotask.net', false],
  ['https://auth.acme.co.uk/', 'https://desk.acme.co.uk', true],
  ['https://other.co.uk/', 'https://acme.co.uk', false],
  ['https://a.azurewebsites.net/auth', 'https://a.azurewebsites.net', true],
  ['https://auth.a.azurewebsites.net/', 'https://a.azurewebsites.net', true],
  ['https://b.azurewebsites.net/', 'https://a.azurewebsites.net', false],
  ['https://azurewebsites.net/', 'https://a.azurewebsites.net', false],
  ['https://other.github.io/', 'https://acme.github.io', false],
  ['https://b.s3.amazonaws.com/', 'https://a.s3.amazonaws.com', false],
  ['https://a.azurewebsites.net./', 'https://b.azurewebsites.net', false],
  ['https://me:secret@autotask.net/', 'https://autotask.net', false],
  ['http://autotask.net/', 'https://autotask.net', false],
  ['autotask.net', 'https://autotask.net', false],
])('%s is an address of the owner of %s: %s', (text, site, is_own) => {
  expect(ownAddress(text, new URL(site)) !== null).toBe(is_own)
})
