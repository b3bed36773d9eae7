import { parseJson } from '../base/json.ts';
import { readSmallFile } from '../host/files/small-file.ts';
import type { AgentCli, CliEnvironment } from './supported-clis.ts';
import { envSetting } from './supported-clis.ts';
import type { LoginFact } from './machine-facts.ts';

const CREDENTIALS_BYTES_MAX = 1_048_576;

/** The ways in that a CLI has here: names of variables, and files. What they hold stays in this function. */
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

/** It has run out, and its CLI can't renew it by itself. */
export function isOver(login: LoginFact, now: number): boolean {
  if (login.kind !== 'file' || login.renews) return false;
  return login.expiresAt !== null && login.expiresAt <= now;
}
