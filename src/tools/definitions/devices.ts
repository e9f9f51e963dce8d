/** Devices and their alerts in the RMM, networks and security products. */
import {
  choice,
  done,
  flag,
  id,
  instant,
  list,
  object,
  optional,
  results,
  search,
  text,
  whole,
} from '../json-schema.ts'
import { reads, writes } from '../tool.ts'

const DEVICE = id('The id of the device in the RMM.')
const ALERT = id('The id of the alert.')
const SCRIPT_VALUE_OR_NONE = {
  type: ['string', 'integer', 'boolean', 'null'],
  description: 'The value without a choice. null: there is none.',
}
const devices = { works_in: 'RMM', permission_group: 'DEVICES' } as const

const SUMMARY = {
  device_id: DEVICE,
  name: text('The name of the device.'),
  company: optional(text('The name of the company.')),
  platform: choice('The operating system.', 'WINDOWS', 'MACOS', 'LINUX', 'OTHER'),
  last_seen_at: optional(instant('When it last answered.')),
}

const ALERT_SUMMARY = {
  alert_id: ALERT,
  device_id: optional(DEVICE),
  severity: choice('The severity.', 'INFO', 'WARNING', 'CRITICAL'),
  text: text('The text of the alert.', 4000),
  raised_at: instant('When it was raised.'),
  cleared_at: optional(instant('When it cleared by itself.')),
}

export const DEVICE_TOOLS = [
  reads('device.search', {
    ...devices,
    title: 'Search devices',
    description: 'Finds devices by name, user or serial number.',
    input: search('the name, user or serial number', { company_id: id('Only devices of this company.') }),
    output: results(SUMMARY),
  }),
  reads('device.read', {
    ...devices,
    title: 'Read device',
    description: 'Reads a device: hardware, operating system, last user, disks and patches.',
    input: object({ device_id: DEVICE }),
    output: object({
      ...SUMMARY,
      last_user: optional(text('The user who signed in last.')),
      free_disk_bytes: optional(whole('Free space on the system disk.', 0, Number.MAX_SAFE_INTEGER)),
      missing_patches: whole('Patches that are not installed.', 0, 10_000),
    }),
  }),
  reads('device.list_software', {
    ...devices,
    title: 'List software',
    description: 'Lists the software that is installed on a device.',
    input: object({ device_id: DEVICE }),
    output: object({
      software: list(object({ name: text('The name.'), version: text('The version.') }), 1000),
    }),
  }),
  writes('device.restart', {
    ...devices,
    title: 'Restart device',
    description: 'Restarts a device. People who work on it lose what they have not saved.',
    requires_approval: true,
    destructive: true,
    input: object({ device_id: DEVICE }),
    output: done('device_id', 'The id of the device.'),
  }),
  reads('device.list_scripts', {
    ...devices,
    title: 'List scripts',
    description:
      'Finds scripts of the RMM that agents may run, with their parameters, and whether a technician approves each run.',
    input: object(
      {
        query: text('Words that the name or the description contain. Left out: all scripts.', 200),
        limit: whole('The most results.', 1, 50),
      },
      ['query', 'limit'],
    ),
    output: results({
      script_id: id('The id of the script.'),
      name: text('The name.'),
      description: optional(text('What the script does.', 1024)),
      shell: choice('The shell.', 'POWERSHELL', 'CMD', 'BASH', 'PYTHON', 'OTHER'),
      platforms: list(choice('An operating system.', 'WINDOWS', 'MACOS', 'LINUX')),
      risk: choice('The harm that it can do.', 'READ_ONLY', 'CHANGES_STATE', 'DESTRUCTIVE', 'UNKNOWN'),
      needs_approval: flag('True if a technician approves each run.'),
      parameters: list(
        object({
          name: text('The name.'),
          type: choice('The type of the value.', 'STRING', 'INTEGER', 'BOOLEAN', 'CHOICE'),
          required: flag('True if a run needs a value.'),
          default: SCRIPT_VALUE_OR_NONE,
          choices: { type: ['array', 'null'], items: { type: 'string' }, maxItems: 200 },
          secret: flag('True if the technician who approves the run gives the value.'),
        }),
      ),
    }),
  }),
  writes('device.run_script', {
    ...devices,
    title: 'Run script',
    description:
      'Runs a script of the RMM that is enabled for agents on a device, and waits for its end. The values of secret ' +
      'parameters are given by the technician who approves the run.',
    requires_approval: true,
    destructive: true,
    input: object(
      {
        device_id: DEVICE,
        script_id: id('The script, by its id from device.list_scripts.'),
        parameters: {
          type: 'object',
          additionalProperties: { type: ['string', 'integer', 'boolean'], maxLength: 4000 },
          description: 'The parameters of the script, by name. Secret parameters are left out.',
        },
      },
      ['parameters'],
    ),
    output: object({
      run_id: id('The id of the run.'),
      status: choice('The end of the run.', 'SUCCEEDED', 'FAILED', 'TIMED_OUT'),
      exit_code: optional(whole('The exit code.', -2_147_483_648, 4_294_967_295)),
      stdout: optional(text('What the script wrote.', 65_536)),
      stderr: optional(text('What the script wrote as errors.', 65_536)),
      error_code: optional(text('The reason why it was not started, or has no known end.')),
    }),
  }),
  reads('alert.read', {
    ...devices,
    title: 'Read alert',
    description: 'Reads an alert of the RMM, and whether it has cleared.',
    input: object({ alert_id: ALERT }),
    output: object(ALERT_SUMMARY),
  }),
  reads('alert.search', {
    ...devices,
    title: 'Search alerts',
    description: 'Finds open alerts by words in their text.',
    input: search('the text', { company_id: id('Only alerts of this company.') }),
    output: results(ALERT_SUMMARY),
  }),
  writes('alert.close', {
    ...devices,
    title: 'Close alert',
    description: 'Closes an alert in the RMM.',
    requires_approval: true,
    idempotent: true,
    input: object({ alert_id: ALERT }),
    output: done('alert_id', 'The id of the alert.'),
  }),
  reads('network.list_devices', {
    works_in: 'NETWORK',
    title: 'List network devices',
    description: 'Lists the switches, access points and firewalls of a company, with their state.',
    input: object({ company_id: id('The company.') }),
    output: object({
      devices: list(
        object({
          name: text('The name.'),
          kind: text('The kind of device.'),
          state: choice('The state of its connection.', 'ONLINE', 'OFFLINE'),
        }),
      ),
    }),
  }),
  reads('incident.search', {
    works_in: 'SECURITY',
    title: 'Search incidents',
    description: 'Finds security incidents by device, user or words in their text.',
    input: search('the device, the user or the text', { company_id: id('Only incidents of this company.') }),
    output: results({
      incident_id: id('The id of the incident.'),
      severity: choice('The severity.', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'),
      title: text('The title.', 500),
      raised_at: instant('When it was raised.'),
    }),
  }),
  writes('incident.isolate_device', {
    works_in: 'SECURITY',
    title: 'Isolate device',
    description: 'Cuts a device off the network, except from the security product.',
    requires_approval: true,
    destructive: true,
    idempotent: true,
    input: object({ incident_id: id('The incident.'), device_id: id('The device in the security product.') }),
    output: done('device_id', 'The id of the device.'),
  }),
]
