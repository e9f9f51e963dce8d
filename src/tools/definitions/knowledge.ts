/** Documentation, companies, contacts, memories and the web. */
import { choice, done, id, instant, list, object, optional, results, search, text } from '../json-schema.ts'
import { reads, writes } from '../tool.ts'

const DOCUMENT = id('The id of the document.')
const documentation = { works_in: 'DOCUMENTATION', permission_group: 'DOCUMENTATION' } as const
const psa = { works_in: 'PSA' } as const

const SUMMARY = {
  document_id: DOCUMENT,
  title: text('The title.', 500),
  company: optional(text('The name of the company. null: it is of the MSP itself.')),
  updated_at: instant('When it was last changed.'),
}

const CONTACT = {
  contact_id: id('The id of the contact in the PSA.'),
  name: text('The name.'),
  email: optional(text('The e-mail address.', 320)),
  phone: optional(text('The telephone number.')),
}

export const KNOWLEDGE_TOOLS = [
  reads('document.search', {
    ...documentation,
    title: 'Search documents',
    description: 'Finds documents by words in their title or text.',
    input: search('the title or the text', { company_id: id('Only documents of this company.') }),
    output: results(SUMMARY),
  }),
  reads('document.read', {
    ...documentation,
    title: 'Read document',
    description: 'Reads the text of a document. Passwords in it are left out.',
    input: object({ document_id: DOCUMENT }),
    output: object({ ...SUMMARY, text: text('The text.', 200_000) }),
  }),
  reads('document.list_folder', {
    ...documentation,
    system: 'SHAREPOINT',
    title: 'List folder',
    description: 'Lists the files of a folder that was confirmed for a company.',
    input: object({ folder_id: id('The folder.') }),
    output: object({ files: list(object({ document_id: DOCUMENT, file_name: text('The name.') }), 1000) }),
  }),
  writes('document.create', {
    ...documentation,
    title: 'Create document',
    description: 'Creates a document for a company.',
    input: object({
      company_id: id('The company.'),
      title: text('The title.', 500),
      text: text('The text, in Markdown.', 100_000),
    }),
    output: done('document_id', 'The id of the document.'),
  }),
  writes('document.update', {
    ...documentation,
    title: 'Update document',
    description: 'Replaces the text of a document. The documentation system keeps the old version.',
    destructive: true,
    idempotent: true,
    input: object({ document_id: DOCUMENT, text: text('The new text, in Markdown.', 100_000) }),
    output: done('document_id', 'The id of the document.'),
  }),
  reads('company.search', {
    ...psa,
    title: 'Search companies',
    description: 'Finds the MSP’s customers by name or domain.',
    input: search('the name or domain'),
    output: results({ company_id: id('The id of the company in the PSA.'), name: text('The name.') }),
  }),
  reads('company.read', {
    ...psa,
    title: 'Read company',
    description: 'Reads a company with its addresses, domains and agreements.',
    input: object({ company_id: id('The company.') }),
    output: object({
      company_id: id('The id of the company in the PSA.'),
      name: text('The name.'),
      domains: list(text('A domain.')),
      agreements: list(text('The name of an agreement.')),
    }),
  }),
  reads('contact.search', {
    ...psa,
    title: 'Search contacts',
    description: 'Finds contacts by name, e-mail address or telephone number.',
    input: search('the name, address or number', { company_id: id('Only contacts of this company.') }),
    output: results(CONTACT),
  }),
  reads('contact.read', {
    ...psa,
    title: 'Read contact',
    description: 'Reads a contact, with the numbers on which to call back.',
    input: object({ contact_id: id('The contact.') }),
    output: object({ ...CONTACT, company: optional(text('The name of the company.')) }),
  }),
  reads('memory.search', {
    title: 'Search memories',
    description: 'Finds what the agents remember about a customer, a device or a person.',
    input: search('the memory'),
    output: results({ memory_id: id('The id of the memory.'), content: text('The content.', 4000) }),
  }),
  writes('memory.save', {
    title: 'Save memory',
    description: 'Remembers a fact for later runs. Secrets are refused.',
    input: object({
      content: text('The fact.', 4000),
      scope_type: choice('The kind of its subject.', 'TENANT', 'CLIENT', 'DEVICE', 'END_USER', 'TECHNICIAN'),
      scope_id: optional(id('The id of what it is about; null for TENANT.')),
    }),
    output: done('memory_id', 'The id of the memory.'),
  }),
  reads('web.search', {
    title: 'Search the web',
    description: 'Finds public web pages, such as the documentation of vendors.',
    input: search('the page'),
    output: results({ url: text('The address.', 2048), title: text('The title.', 500) }),
  }),
]
