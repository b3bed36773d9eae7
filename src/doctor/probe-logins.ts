import { parseJson } from '../base/json.ts';
import { readSmallFile } from '../host/files/read-text-file.ts';
import type { AgentCli, CliEnvironment } from './supported-clis.ts';
import { envSetting } from './supported-clis.ts';
import type { LoginFact } from './machine-facts.ts';

const CREDENTIALS_BYTES_MAX = 1_048_576;

/** The logins of a CLI on this machine: names of variables, and files. Their contents never leave this function. */
export async function probeLogins(
  { variables, file, readLogin }: AgentCli,
  userDir: string,
  env: CliEnvironment,
): Promise<readonly LoginFact[]> {
  const named = variables
    .filter((name) => envSetting(env, name) !== undefined)
    .map((name): LoginFact => ({ kind: 'variable', name }));
  const path = file(userDir, env);
  const content = await readSmallFile(path, CREDENTIALS_BYTES_MAX);
  if (content.kind === 'absent') return named;
  const value = content.kind === 'text' ? parseJson(content.text) : undefined;
  if (value === undefined) return [...named, { kind: 'unreadable', path }];
  const login = readLogin(value);
  return login === undefined ? named : [...named, { kind: 'file', path, ...login }];
}

/** Whether the login has expired and its CLI can't renew it. */
export function isExpired(login: LoginFact, now: number): boolean {
  if (login.kind !== 'file' || login.renews) return false;
  return login.expiresAt !== null && login.expiresAt <= now;
}
