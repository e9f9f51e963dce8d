/** The systems other than the PSA as a call sees them that works for one company. */
import type { Documents } from '../../connectors/documents.ts'
import type { Identity } from '../../connectors/identity.ts'
import type { Psa } from '../../connectors/psa.ts'
import type { Rmm } from '../../connectors/rmm.ts'
import { ofCompany, requireInReach, searchInReach } from './company.ts'
import type { Reach } from './reach.ts'

export function rmmInReach(rmm: Rmm, reach: Reach): Rmm {
  const own = ofCompany(reach)
  const device = async (id: string) => own(await rmm.device(id))
  const alert = async (id: string) => {
    const found = await rmm.alert(id)
    return found && (await device(found.device_id)) ? found : null
  }
  const needDevice = async (id: string, key: string) =>
    requireInReach(rmm, key, await device(id), 'DEVICE_NOT_FOUND')
  return {
    async searchDevices(search) {
      const own_search = searchInReach(reach, search)
      return own_search ? await rmm.searchDevices(own_search) : []
    },
    device,
    softwareOf: async (id) => ((await device(id)) ? await rmm.softwareOf(id) : null),
    alert,
    async searchAlerts(search) {
      const own_search = searchInReach(reach, search)
      return own_search ? await rmm.searchAlerts(own_search) : []
    },
    async restartDevice(id, key) {
      await needDevice(id, key)
      return await rmm.restartDevice(id, key)
    },
    async runScript(id, script_id, parameters, key) {
      await needDevice(id, key)
      return await rmm.runScript(id, script_id, parameters, key)
    },
    async closeAlert(id, key) {
      await requireInReach(rmm, key, await alert(id), 'ALERT_NOT_FOUND')
      return await rmm.closeAlert(id, key)
    },
    outcomeOf: (key) => rmm.outcomeOf(key),
  }
}

// Contract silent: the documents of the MSP itself belong to no company: an agent that reads them crosses companies.
export function documentsInReach(documents: Documents, reach: Reach): Documents {
  const own = ofCompany(reach)
  const document = async (id: string) => own(await documents.document(id))
  return {
    async search(search) {
      const own_search = searchInReach(reach, search)
      return own_search ? await documents.search(own_search) : []
    },
    document,
    filesIn: async (id) => (await documents.filesIn(id)).filter(own),
    async createDocument(draft, key) {
      await requireInReach(documents, key, own(draft), 'COMPANY_NOT_FOUND')
      return await documents.createDocument(draft, key)
    },
    async updateDocument(id, text, key) {
      await requireInReach(documents, key, await document(id), 'DOCUMENT_NOT_FOUND')
      return await documents.updateDocument(id, text, key)
    },
    outcomeOf: (key) => documents.outcomeOf(key),
  }
}

export function identityInReach(identity: Identity, psa: Psa, reach: Reach): Identity {
  const own = ofCompany(reach)
  const account = async (id: string) => own(await identity.account(id))
  const isOwnCompany = (psa_company_id: string) => own({ psa_company_id }) !== null
  const needAccount = async (id: string, key: string) =>
    requireInReach(identity, key, await account(id), 'ACCOUNT_NOT_FOUND')
  const needContact = async (id: string, key: string) =>
    requireInReach(identity, key, await psa.contact(id), 'CONTACT_NOT_FOUND')
  return {
    async searchAccounts(search) {
      const own_search = searchInReach(reach, search)
      return own_search ? await identity.searchAccounts(own_search) : []
    },
    account,
    groupsOf: async (company) => (isOwnCompany(company) ? await identity.groupsOf(company) : []),
    signInsOf: async (id, since) => ((await account(id)) ? await identity.signInsOf(id, since) : []),
    licencesOf: async (company) => (isOwnCompany(company) ? await identity.licencesOf(company) : []),
    async createAccount(draft, key) {
      await requireInReach(identity, key, own(draft), 'COMPANY_NOT_FOUND')
      await needContact(draft.recipient_contact_id, key)
      return await identity.createAccount(draft, key)
    },
    async resetPassword(id, recipient_contact_id, key) {
      await needAccount(id, key)
      await needContact(recipient_contact_id, key)
      return await identity.resetPassword(id, recipient_contact_id, key)
    },
    async unlock(id, key) {
      await needAccount(id, key)
      return await identity.unlock(id, key)
    },
    async disable(id, key) {
      await needAccount(id, key)
      return await identity.disable(id, key)
    },
    async revokeSessions(id, key) {
      await needAccount(id, key)
      return await identity.revokeSessions(id, key)
    },
    async addToGroup(id, group_id, key) {
      await needAccount(id, key)
      return await identity.addToGroup(id, group_id, key)
    },
    async removeFromGroup(id, group_id, key) {
      await needAccount(id, key)
      return await identity.removeFromGroup(id, group_id, key)
    },
    async assignLicence(id, licence, key) {
      await needAccount(id, key)
      return await identity.assignLicence(id, licence, key)
    },
    async orderLicences(order, key) {
      await requireInReach(identity, key, own(order), 'COMPANY_NOT_FOUND')
      return await identity.orderLicences(order, key)
    },
    outcomeOf: (key) => identity.outcomeOf(key),
  }
}
