/** The scripts in the RMM of the demo MSP, and the catalogue that a sync made of them. */
import { hash } from 'node:crypto'
import type { RmmScriptParameter } from '../connectors/rmm.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import type { Seeding } from './seeding.ts'

type Local = Omit<Prisma.LocalRmmScriptCreateManyInput, 'tenant_id' | 'environment' | 'parameters'>
type Rules = Pick<
  Prisma.RmmScriptCreateManyInput,
  'agent_description' | 'risk' | 'agent_enabled' | 'approval' | 'secret_parameters'
>

interface DemoScript extends Local {
  parameters?: RmmScriptParameter[]
  /** The rules of the tenant. */
  rules: Rules
}

const parameter = (
  name: string,
  type: RmmScriptParameter['type'],
  others: Partial<RmmScriptParameter> = {},
): RmmScriptParameter => ({
  name,
  type,
  required: false,
  default: null,
  choices: null,
  secret: false,
  ...others,
})

export const SCRIPTS: readonly DemoScript[] = [
  {
    script_id: 'scr_temp',
    name: 'Delete temporary files',
    description: 'Deletes temporary files that nobody has changed for some days.',
    category: 'Maintenance',
    parameters: [
      parameter('scope', 'CHOICE', { required: true, choices: ['USER', 'SYSTEM', 'ALL'] }),
      parameter('older_than_days', 'INTEGER', { default: 7 }),
      parameter('empty_recycle_bin', 'BOOLEAN', { default: false }),
    ],
    default_timeout_seconds: 300,
    body: `param(
  [Parameter(Mandatory)] [ValidateSet('USER', 'SYSTEM', 'ALL')] [string] $scope,
  [int] $older_than_days = 7,
  [bool] $empty_recycle_bin = $false
)
$places = @()
if ($scope -in 'USER', 'ALL') { $places += Get-ChildItem 'C:\\Users' -Directory | ForEach-Object { "$($_.FullName)\\AppData\\Local\\Temp" } }
if ($scope -in 'SYSTEM', 'ALL') { $places += "$env:SystemRoot\\Temp" }
$before = (Get-PSDrive C).Free
Get-ChildItem $places -Recurse -File -ErrorAction SilentlyContinue |
  Where-Object LastWriteTime -lt (Get-Date).AddDays(-$older_than_days) |
  Remove-Item -Force -ErrorAction SilentlyContinue
if ($empty_recycle_bin) { Clear-RecycleBin -Force }
'{0}: {1:N1} GB freed' -f $env:COMPUTERNAME, (((Get-PSDrive C).Free - $before) / 1GB)
`,
    takes_seconds: 6,
    stdout: '{device}: 3.4 GB freed\r\n',
    rules: {
      agent_description:
        'Frees space on the system drive. Use it if less than 10 GB are free. Files of the last days stay.',
      risk: 'CHANGES_STATE',
      agent_enabled: true,
      approval: 'ALWAYS',
    },
  },
  {
    script_id: 'scr_spooler',
    name: 'Restart the print spooler',
    description: 'Stops the spooler, deletes the jobs that are stuck, and starts the spooler again.',
    category: 'Printing',
    body: `Stop-Service Spooler -Force
Remove-Item "$env:SystemRoot\\System32\\spool\\PRINTERS\\*" -Force -ErrorAction SilentlyContinue
Start-Service Spooler
"Spooler: $((Get-Service Spooler).Status)"
`,
    takes_seconds: 4,
    stdout: 'Spooler: Running\r\n',
    rules: { risk: 'CHANGES_STATE', agent_enabled: true, approval: 'ALWAYS' },
  },
  {
    script_id: 'scr_disk',
    name: 'Report free disk space',
    description: 'Lists the drives with their size and their free space.',
    category: 'Reports',
    body: `Get-Volume | Where-Object DriveLetter |
  Select-Object DriveLetter, @{ n = 'SizeGB'; e = { [math]::Round($_.Size / 1GB, 1) } },
    @{ n = 'FreeGB'; e = { [math]::Round($_.SizeRemaining / 1GB, 1) } } | Format-Table -AutoSize
`,
    takes_seconds: 2,
    stdout: 'DriveLetter SizeGB FreeGB\r\n----------- ------ ------\r\nC            237.9   11.6\r\n',
    rules: {
      agent_description: 'Tells how much space is free on each drive. It changes nothing.',
      risk: 'READ_ONLY',
      agent_enabled: true,
      approval: 'BY_RISK',
    },
  },
  {
    script_id: 'scr_updates',
    name: 'Install missing updates',
    description:
      'Installs the updates of Windows that are approved. The vendor of the RMM builds it anew often.',
    category: 'Maintenance',
    default_timeout_seconds: 3600,
    body: `# Build {build}
Import-Module PSWindowsUpdate
Get-WindowsUpdate -AcceptAll -Install -IgnoreReboot | Format-Table Status, KB, Title
`,
    is_rebuilt: true,
    takes_seconds: 40,
    stdout:
      'Status     KB         Title\r\n------     --         -----\r\nInstalled  KB5068861  Cumulative Update\r\n',
    rules: { risk: 'CHANGES_STATE', agent_enabled: true, approval: 'ALWAYS' },
  },
  {
    script_id: 'scr_admin',
    name: 'Reset the local administrator',
    description: 'Sets the password of a local account, and enables the account.',
    category: 'Accounts',
    parameters: [
      parameter('account', 'STRING', { default: 'Administrator' }),
      parameter('new_password', 'STRING', { required: true, secret: true }),
    ],
    body: `param([string] $account = 'Administrator', [Parameter(Mandatory)] [string] $new_password)
Set-LocalUser -Name $account -Password (ConvertTo-SecureString $new_password -AsPlainText -Force)
Enable-LocalUser -Name $account
"$account is set"
`,
    takes_seconds: 3,
    stdout: 'Administrator is set\r\n',
    rules: { risk: 'CHANGES_STATE', agent_enabled: true, approval: 'ALWAYS' },
  },
  {
    script_id: 'scr_dns',
    name: 'Flush the DNS cache',
    description: 'Flushes the cache of names on a Mac.',
    category: 'Network',
    shell: 'BASH',
    platforms: ['MACOS'],
    body: `#!/bin/bash
set -e
dscacheutil -flushcache
killall -HUP mDNSResponder
echo "DNS cache flushed on $(scutil --get ComputerName)"
`,
    takes_seconds: 1,
    stdout: 'DNS cache flushed on {device}\n',
    rules: { risk: 'CHANGES_STATE', agent_enabled: true, approval: 'BY_RISK' },
  },
  {
    script_id: 'scr_vpn',
    name: 'Add the VPN profile',
    category: 'Network',
    parameters: [
      parameter('server', 'STRING', { required: true }),
      parameter('shared_key', 'STRING', { required: true }),
    ],
    run_as_user: true,
    body: `param([Parameter(Mandatory)] [string] $server, [Parameter(Mandatory)] [string] $shared_key)
Add-VpnConnection -Name 'Office' -ServerAddress $server -TunnelType L2tp -L2tpPsk $shared_key -Force
`,
    takes_seconds: 5,
    exit_code: 1,
    stderr: "Add-VpnConnection : The VPN connection 'Office' is already there.\r\n",
    rules: { risk: 'UNKNOWN', agent_enabled: false, secret_parameters: ['shared_key'] },
  },
  {
    script_id: 'scr_wipe',
    name: 'Wipe the device',
    description: 'Deletes everything on the device. It cannot be undone.',
    category: 'Lost devices',
    body: `$session = Get-CimInstance -Namespace root/cimv2/mdm/dmmap -ClassName MDM_RemoteWipe
Invoke-CimMethod -InputObject $session -MethodName doWipeMethod -Arguments @{ param = '' }
`,
    takes_seconds: 20,
    stdout: 'ReturnValue : 0\r\n',
    rules: { risk: 'DESTRUCTIVE', agent_enabled: false, approval: 'ALWAYS' },
  },
]

const SYNCED_MINUTES = 11

/** The id of the script in this API. */
export const scriptIdOf = (script_id: string): string => script_id.replace('scr_', 'scr_demo_')

/** The body of the first build. */
const bodyOf = ({ body = '' }: DemoScript): string => body.replace('{build}', '1')

export const hashOf = (script: DemoScript): string => hash('sha256', bodyOf(script))

export async function seedScripts({ tx, tenancy, ago }: Seeding): Promise<void> {
  await tx.localRmmScript.createMany({
    data: SCRIPTS.map(({ rules: _rules, ...script }) => ({ ...tenancy, ...script })),
  })
  await tx.rmmScript.createMany({
    data: SCRIPTS.map((script, index) => ({
      ...tenancy,
      id: scriptIdOf(script.script_id),
      system: 'NINJAONE',
      external_id: script.script_id,
      name: script.name,
      description: script.description ?? null,
      category: script.category ?? null,
      shell: script.shell ?? 'POWERSHELL',
      platforms: script.platforms ?? ['WINDOWS'],
      parameters: script.parameters ?? [],
      default_timeout_seconds: script.default_timeout_seconds ?? 90,
      run_as_user: script.run_as_user ?? false,
      body: bodyOf(script),
      body_sha256: hashOf(script),
      ...script.rules,
      revision: script.rules.risk === 'UNKNOWN' ? 2 : 3,
      created_at: ago(80),
      updated_at: ago(40 - index),
      synced_at: ago(0, SYNCED_MINUTES),
    })),
  })
}
