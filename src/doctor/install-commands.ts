/** The commands that install a program on this machine. */
import type { FindingState } from '../protocol/views/diagnosis.ts';
import type { MachineFacts } from './machine-facts.ts';

type InstallTarget = Pick<MachineFacts, 'platform' | 'os' | 'uid'>;
type Manager = 'apt' | 'dnf' | 'pacman' | 'apk' | 'zypper' | 'brew';

const INSTALL: Readonly<Record<Manager, string>> = {
  apt: 'apt-get install -y',
  dnf: 'dnf install -y',
  pacman: 'pacman -S --noconfirm',
  apk: 'apk add',
  zypper: 'zypper install -y',
  brew: 'brew install',
};

const MANAGERS: Readonly<Record<string, Manager>> = {
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

/** Package names that differ between package managers. */
const PACKAGE: Readonly<Record<string, Partial<Record<Manager, string>>>> = {
  docker: { apt: 'docker.io', dnf: 'moby-engine', brew: 'colima docker' },
  setpriv: { apt: 'util-linux', dnf: 'util-linux', pacman: 'util-linux', zypper: 'util-linux' },
};

/**
 * The command that installs a system package. Null if the package manager is unknown. Also null on Linux if the
 * program is installed but too old, because a Linux release has only one version of a package.
 */
export function getPackage(
  name: string,
  state: FindingState,
  target: InstallTarget,
): string[] | null {
  const manager = findManager(target);
  if (manager === undefined || state === 'ok') return null;
  return state === 'missing' || manager === 'brew' ? [install(name, manager, target)] : null;
}

function install(name: string, manager: Manager, target: InstallTarget): string {
  const command = `${INSTALL[manager]} ${PACKAGE[name]?.[manager] ?? name}`;
  return manager === 'brew' ? command : asRoot(command, target);
}

export function installCli(npm: string): string {
  return `npm install --global ${npm}@latest`;
}

export function asRoot(command: string, { uid }: Pick<InstallTarget, 'uid'>): string {
  return uid === 0 ? command : `sudo ${command}`;
}

function findManager({ platform, os }: InstallTarget): Manager | undefined {
  if (platform === 'darwin') return 'brew';
  return [os?.id ?? '', ...(os?.like ?? [])]
    .map((name) => MANAGERS[name.replace(/-.*/, '')])
    .find((manager) => manager !== undefined);
}
