/**
 * Logins (subscriptions) as upstream credentials. The gateway outside the sandbox inserts the token that a CLI stored
 * on this machine; the agent inside has only the token of the attempt. Nothing is renewed here: the user does that
 * with the CLI itself, and is told before it is necessary.
 */
import type { Instant } from '../../base/clock.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import type { Upstreams } from './upstreams.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type Login =
  | {
      readonly kind: 'login';
      readonly upstreams: Upstreams;
      /** Every value in it that must stay secret. */
      readonly secrets: readonly string[];
      /** Milliseconds since 1970. Null: it does not say. */
      readonly expiresAt: number | null;
    }
  | { readonly kind: 'expired' };

const ANTHROPIC = 'https://api.anthropic.com';
const CHATGPT = 'https://chatgpt.com/backend-api/codex';

/** The file in which a CLI stores its login. Undefined: no usable login of this CLI is known. */
export function loginFile(
  cli: string,
  configDir: string | null,
  userDir: string,
  env: Env,
): string | undefined {
  const folder = (variable: string, name: string): string =>
    (configDir ?? env[variable]) || `${userDir}/${name}`;
  if (cli === 'claude') return `${folder('CLAUDE_CONFIG_DIR', '.claude')}/.credentials.json`;
  return cli === 'codex' ? `${folder('CODEX_HOME', '.codex')}/auth.json` : undefined;
}

/** Reads such a file. Undefined: it holds no login. */
export function readLogin(cli: string, text: string, env: Env, now: Instant): Login | undefined {
  const stored = parseJson(text);
  if (!isRecord(stored)) return undefined;
  return cli === 'claude' ? claudeLogin(stored, env, now) : codexLogin(stored, env, now);
}

/** Reads the token that `claude setup-token` prints. It has no file. */
export function loginInEnvironment(cli: string, env: Env): Login | undefined {
  const token = env['CLAUDE_CODE_OAUTH_TOKEN'];
  return cli === 'claude' && token ? anthropic(token, [token], env, null) : undefined;
}

function claudeLogin(stored: Record<string, unknown>, env: Env, now: Instant): Login | undefined {
  const login = stored['claudeAiOauth'];
  if (!isRecord(login) || typeof login['accessToken'] !== 'string') return undefined;
  const { accessToken } = login;
  const expiresAt = typeof login['expiresAt'] === 'number' ? login['expiresAt'] : null;
  if (expiresAt !== null && expiresAt <= now) return { kind: 'expired' };
  return anthropic(accessToken, textsIn(login, ['accessToken', 'refreshToken']), env, expiresAt);
}

function anthropic(
  token: string,
  secrets: readonly string[],
  env: Env,
  expiresAt: number | null,
): Login {
  const base = env['ANTHROPIC_BASE_URL'] || ANTHROPIC;
  const credential = { kind: 'login', value: token } as const;
  return { kind: 'login', upstreams: { anthropic: { base, credential } }, secrets, expiresAt };
}

/** The file holds either a key, or the tokens of a ChatGPT plan, which has another address. */
function codexLogin(stored: Record<string, unknown>, env: Env, now: Instant): Login | undefined {
  const key = stored['OPENAI_API_KEY'];
  if (typeof key === 'string' && key !== '') {
    const base = (env['OPENAI_BASE_URL'] ?? '').replace(/\/v1\/?$/, '') || 'https://api.openai.com';
    const upstream = { base, credential: { kind: 'key', value: key } as const };
    const upstreams = { 'openai-responses': upstream };
    return { kind: 'login', upstreams, secrets: [key], expiresAt: null };
  }
  const tokens = stored['tokens'];
  if (!isRecord(tokens) || typeof tokens['access_token'] !== 'string') return undefined;
  const expiresAt = tokenExpiry(tokens['access_token']);
  if (expiresAt !== null && expiresAt <= now) return { kind: 'expired' };
  const account = tokens['account_id'];
  const upstream = {
    base: env['CHATGPT_BASE_URL'] || CHATGPT,
    credential: { kind: 'login', value: tokens['access_token'] } as const,
    ...(typeof account === 'string' && { headers: { 'chatgpt-account-id': account } }),
    without: '/v1',
  };
  const secrets = textsIn(tokens, ['access_token', 'refresh_token', 'id_token']);
  return { kind: 'login', upstreams: { 'openai-responses': upstream }, secrets, expiresAt };
}

/** The end of a JSON web token, in milliseconds. Null: it is another kind of token, or does not say. */
function tokenExpiry(token: string): number | null {
  const [, payload = ''] = token.split('.');
  const claims = parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
  const seconds = isRecord(claims) ? claims['exp'] : undefined;
  return typeof seconds === 'number' ? seconds * 1000 : null;
}

function textsIn(record: Record<string, unknown>, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const value = record[name];
    return typeof value === 'string' ? [value] : [];
  });
}
