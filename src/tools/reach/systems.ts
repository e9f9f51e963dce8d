/** The systems other than the PSA as a call sees them that works for one company. */
import type { Documents } from '../../connectors/documents.ts'
import type { Identity } from '../../connectors/identity.ts'
import type { Psa } from '../../connectors/psa.ts'
import type { Rmm } from '../../connectors/rmm.ts'
import { type OfCompany, ofCompany, requireInReach, searchesIn, writesTo } from './company.ts'
import type { Reach } from './reach.ts'

export function rmmInReach(rmm: Rmm, reach: Reach): Rmm {
  const own = ofCompany(reach)
  const within = searchesIn(reach)
  const device = async (id: string) => own(await rmm.device(id))
  const alert = async (id: string) => {
    const found = await rmm.alert(id)
    return found && (await device(found.device_id)) ? found : null
  }
  const toDevice = writesTo(rmm, 'DEVICE_NOT_FOUND', device)
  const toAlert = writesTo(rmm, 'ALERT_NOT_FOUND', alert)
  return {
    searchDevices: within((search) => rmm.searchDevices(search)),
    device,
    softwareOf: async (id) => ((await device(id)) ? await rmm.softwareOf(id) : null),
    alert,
    searchAlerts: within((search) => rmm.searchAlerts(search)),
    restartDevice: toDevice((...call) => rmm.restartDevice(...call)),
    devicePage: async (search) =>
      reach.psa_company_id === null
        ? { rows: [], next: null }
        : await rmm.devicePage({ ...search, psa_company_id: reach.psa_company_id }),
    listedDevice: async (id) => own(await rmm.listedDevice(id)),
    // Scripts are the MSP's own.
    scriptPage: (after) => rmm.scriptPage(after),
    script: (id) => rmm.script(id),
    markBeforeStart: (device_id, script_id) => rmm.markBeforeStart(device_id, script_id),
    startScript: (order, key) =>
      toDevice((_id: string, _key: string) => rmm.startScript(order, key))(order.device_id, key),
    startedRun: (start) => rmm.startedRun(start),
    scriptRun: (device_id, run_id) => rmm.scriptRun(device_id, run_id),
    closeAlert: toAlert((...call) => rmm.closeAlert(...call)),
    outcomeOf: (key) => rmm.outcomeOf(key),
  }
}

// Contract silent: the documents of the MSP itself belong to no company: an agent that reads them crosses companies.
export function documentsInReach(documents: Documents, reach: Reach): Documents {
  const own = ofCompany(reach)
  const within = searchesIn(reach)
  const document = async (id: string) => own(await documents.document(id))
  const toCompany = writesTo<OfCompany>(documents, 'COMPANY_NOT_FOUND', own)
  const toDocument = writesTo(documents, 'DOCUMENT_NOT_FOUND', document)
  return {
    search: within((search) => documents.search(search)),
    document,
    filesIn: async (id) => (await documents.filesIn(id)).filter(own),
    createDocument: toCompany((...call) => documents.createDocument(...call)),
    updateDocument: toDocument((...call) => documents.updateDocument(...call)),
    outcomeOf: (key) => documents.outcomeOf(key),
  }
}

export function identityInReach(identity: Identity, psa: Psa, reach: Reach): Identity {
  const own = ofCompany(reach)
  const within = searchesIn(reach)
  const account = async (id: string) => own(await identity.account(id))
  const isOwnCompany = (psa_company_id: string) => own({ psa_company_id }) !== null
  const toAccount = writesTo(identity, 'ACCOUNT_NOT_FOUND', account)
  const toCompany = writesTo<OfCompany>(identity, 'COMPANY_NOT_FOUND', own)
  const needContact = async (id: string, key: string) =>
    requireInReach(identity, key, await psa.contact(id), 'CONTACT_NOT_FOUND')
  return {
    searchAccounts: within((search) => identity.searchAccounts(search)),
    account,
    groupsOf: async (company) => (isOwnCompany(company) ? await identity.groupsOf(company) : []),
    signInsOf: async (id, since) => ((await account(id)) ? await identity.signInsOf(id, since) : []),
    licencesOf: async (company) => (isOwnCompany(company) ? await identity.licencesOf(company) : []),
    createAccount: toCompany(async (draft, key) => {
      await needContact(draft.recipient_contact_id, key)
      return await identity.createAccount(draft, key)
    }),
    resetPassword: toAccount(async (id, recipient_contact_id, key) => {
      await needContact(recipient_contact_id, key)
      return await identity.resetPassword(id, recipient_contact_id, key)
    }),
    unlock: toAccount((...call) => identity.unlock(...call)),
    disable: toAccount((...call) => identity.disable(...call)),
    revokeSessions: toAccount((...call) => identity.revokeSessions(...call)),
    addToGroup: toAccount((...call) => identity.addToGroup(...call)),
    removeFromGroup: toAccount((...call) => identity.removeFromGroup(...call)),
    assignLicence: toAccount((...call) => identity.assignLicence(...call)),
    orderLicences: toCompany((...call) => identity.orderLicences(...call)),
    outcomeOf: (key) => identity.outcomeOf(key),
  }
}
