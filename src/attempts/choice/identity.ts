/** The identity of an agent: program, login, arguments, model and account. Limits and refused keys apply to it in all runs. */
import { hashText } from '../../base/hash-text.ts';
import { isSecretVariable } from '../../redaction/secret-names.ts';

export type IdentityParts = {
  readonly cli: string;
  readonly configDir?: string | null;
  readonly args?: readonly string[];
  readonly model?: string | null;
  /** The command of a custom agent. Two custom agents with different commands have different identities. */
  readonly command?: readonly string[] | null;
  /** Its settings files, which may name another provider or account. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** See `agentAccount`. Pinned if `env` no longer holds its secrets. */
  readonly account?: string;
};

export function agentIdentity(agent: IdentityParts): string {
  const { cli, configDir, args, model, command, files = {}, env = {} } = agent;
  const { account = agentAccount(env) } = agent;
  const commandLine = [...(command ?? []), ...(args ?? [])].join(' ');
  const parts = [cli, configDir ?? '', commandLine, model ?? ''];
  return [...parts, account, hashFiles(files)]
    .filter((part, at) => at < 4 || part !== '')
    .join('::');
}

/** Variables in which CLIs name the address of a provider or one of its accounts. */
const ADDRESSES =
  /(?:^|_)(?:base|url|uri|endpoint|host|proxy|project|region|location|profile|account|org|organization|subscription|deployment|bedrock|vertex|foundry)(?:_|$)/i;
const DIGITS = 12;

/** A hash of the keys and addresses in an environment, which tells accounts apart. Empty if there are none. */
export function agentAccount(env: Readonly<Record<string, string>>): string {
  const named = Object.entries(env)
    .filter(([name, value]) => value !== '' && namesAccount(name, value))
    .map(([name, value]) => [name, value.replace(/\/+$/, '')])
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
  if (named.length === 0) return '';
  return hashText(JSON.stringify(named)).slice(0, DIGITS);
}

function hashFiles(files: Readonly<Record<string, string>>): string {
  const named = Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return named.length === 0 ? '' : `files-${hashText(JSON.stringify(named)).slice(0, DIGITS)}`;
}

function namesAccount(name: string, value: string): boolean {
  return isSecretVariable(name, value) || ADDRESSES.test(name) || /^https?:\/\//i.test(value);
}
