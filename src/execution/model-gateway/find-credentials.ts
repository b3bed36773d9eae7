/** Finds the credentials for an agent's model calls: a key in the environment, else the stored login of its CLI. */
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { loginFile, loginInEnvironment, readLogin } from '../../gateway/network/logins.ts';
import type { Upstreams } from '../../gateway/network/upstreams.ts';
import { missingKeys, upstreamsFor, upstreamsFromEnv } from '../../gateway/network/upstreams.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import type { LoginExpiry } from '../../protocol/words/login-expiry.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';

const LOGIN_BYTES_MAX = 1_000_000;

export type AgentCredentials = {
  readonly upstreams: Upstreams;
  /** The other secrets of a login, such as its refresh token. They must not be stored either. */
  readonly secrets: readonly string[];
  /** The login that pays, if it is one and says when it expires. */
  readonly login?: LoginExpiry;
};

type Ports = {
  readonly clock: Clock;
  readonly userDir: string;
  readonly ownerEnv: Readonly<Record<string, string | undefined>>;
};

type CredentialRequest = Pick<AgentSpec, 'cli' | 'configDir' | 'env'> &
  Partial<Pick<AgentSpec, 'model'>>;

/** Returns only the providers that the agent uses. A key takes precedence over a login. */
export async function findCredentials(
  { cli, configDir = null, env: own, model }: CredentialRequest,
  { clock, userDir, ownerEnv }: Ports,
): Promise<AgentCredentials> {
  const env = { ...ownerEnv, ...own };
  const upstreams = upstreamsFor({ cli, model, env: own }, upstreamsFromEnv(env));
  if (missingKeys(cli, upstreams).length === 0) return { upstreams, secrets: [] };
  const file = loginFile(cli, configDir, userDir, env);
  const text = file === undefined ? undefined : await readTextFile(file, LOGIN_BYTES_MAX);
  const login =
    loginInEnvironment(cli, env) ??
    (text === undefined ? undefined : readLogin(cli, text, env, clock.now()));
  if (login?.kind === 'expired') throw expired(cli, file ?? '');
  if (login === undefined) return { upstreams, secrets: [] };
  const { expiresAt, secrets } = login;
  return {
    upstreams: { ...upstreams, ...login.upstreams },
    secrets,
    ...(expiresAt === null ? {} : { login: { cli, expiresAt } }),
  };
}

function expired(cli: string, file: string): Refusal {
  return new Refusal({
    code: 'agent.keys-missing',
    message: `The login of ${cli} in ${file} has run out.`,
    hint: `Start ${cli} once by yourself, which renews it, or log in again.`,
  });
}
