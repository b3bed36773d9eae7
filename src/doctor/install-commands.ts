/** How to get a thing on the machine at hand. */
import type { FindingState } from '../protocol/views/diagnosis.ts';
import type { MachineFacts } from './machine-facts.ts';

type Where = Pick<MachineFacts, 'platform' | 'os' | 'uid'>;
type Manager = 'apt' | 'dnf' | 'pacman' | 'apk' | 'zypper' | 'brew';

const INSTALL: Readonly<Record<Manager, string>> = {
  apt: 'apt-get install -y',
  dnf: 'dnf install -y',
  pacman: 'pacman -S --noconfirm',
  apk: 'apk add',
  zypper: 'zypper install -y',
  brew: 'brew install',
};

const MANAGER_OF: Readonly<Record<string, Manager>> = {
  debian: 'apt',
  ubuntu: 'apt',
  fedora: 'dnf',
  rhel: 'dnf',
  centos: 'dnf',
  arch: 'pacman',
  alpine: 'apk',
  suse: 'zypper',
  opensuse: 'zypper',
};

/** Names that differ from manager to manager; what is not here has the same name everywhere. */
const PACKAGE: Readonly<Record<string, Partial<Record<Manager, string>>>> = {
  docker: { apt: 'docker.io', dnf: 'moby-engine', brew: 'colima docker' },
  setpriv: { apt: 'util-linux', dnf: 'util-linux', pacman: 'util-linux', zypper: 'util-linux' },
};

/**
 * The command that gets a system package in the state it is in, or null when none will: on a machine
 * whose manager we don't know, and for what is here but too old, since a Linux release has one version.
 */
export function getPackage(name: string, state: FindingState, where: Where): string[] | null {
  const manager = managerOf(where);
  if (manager === undefined || state === 'ok') return null;
  return state === 'missing' || manager === 'brew' ? [install(name, manager, where)] : null;
}

function install(name: string, manager: Manager, where: Where): string {
  const command = `${INSTALL[manager]} ${PACKAGE[name]?.[manager] ?? name}`;
  return manager === 'brew' ? command : asRoot(command, where);
}

export function installCli(npm: string): string {
  return `npm install --global ${npm}@latest`;
}

export function asRoot(command: string, { uid }: Pick<Where, 'uid'>): string {
  return uid === 0 ? command : `sudo ${command}`;
}

function managerOf({ platform, os }: Where): Manager | undefined {
  if (platform === 'darwin') return 'brew';
  return [os?.id ?? '', ...(os?.like ?? [])]
    .map((name) => MANAGER_OF[name.replace(/-.*/, '')])
    .find((manager) => manager !== undefined);
}
