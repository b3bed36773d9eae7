/**
 * Logins (subscriptions) as upstream credentials. The gateway outside the sandbox inserts the token that a CLI stored
 * on this machine; the agent inside has only the token of the attempt. Nothing is renewed here: the user does that
 * with the CLI itself.
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
  return cli === 'claude' ? claudeLogin(stored, env, now) : codexLogin(stored, env);
}

/** Reads the token that `claude setup-token` prints. It has no file. */
export function loginInEnvironment(cli: string, env: Env): Login | undefined {
  const token = env['CLAUDE_CODE_OAUTH_TOKEN'];
  return cli === 'claude' && token ? anthropic(token, [token], env) : undefined;
}

function claudeLogin(stored: Record<string, unknown>, env: Env, now: Instant): Login | undefined {
  const login = stored['claudeAiOauth'];
  if (!isRecord(login) || typeof login['accessToken'] !== 'string') return undefined;
  const { accessToken, expiresAt } = login;
  if (typeof expiresAt === 'number' && expiresAt <= now) return { kind: 'expired' };
  return anthropic(accessToken, textsIn(login, ['accessToken', 'refreshToken']), env);
}

function anthropic(token: string, secrets: readonly string[], env: Env): Login {
  const base = env['ANTHROPIC_BASE_URL'] || ANTHROPIC;
  const credential = { kind: 'login', value: token } as const;
  return { kind: 'login', upstreams: { anthropic: { base, credential } }, secrets };
}

/** The file holds either a key, or the tokens of a ChatGPT plan, which has another address. */
function codexLogin(stored: Record<string, unknown>, env: Env): Login | undefined {
  const key = stored['OPENAI_API_KEY'];
  if (typeof key === 'string' && key !== '') {
    const base = (env['OPENAI_BASE_URL'] ?? '').replace(/\/v1\/?$/, '') || 'https://api.openai.com';
    const upstream = { base, credential: { kind: 'key', value: key } as const };
    return { kind: 'login', upstreams: { 'openai-responses': upstream }, secrets: [key] };
  }
  const tokens = stored['tokens'];
  if (!isRecord(tokens) || typeof tokens['access_token'] !== 'string') return undefined;
  const account = tokens['account_id'];
  const upstream = {
    base: env['CHATGPT_BASE_URL'] || CHATGPT,
    credential: { kind: 'login', value: tokens['access_token'] } as const,
    ...(typeof account === 'string' && { headers: { 'chatgpt-account-id': account } }),
    without: '/v1',
  };
  const secrets = textsIn(tokens, ['access_token', 'refresh_token', 'id_token']);
  return { kind: 'login', upstreams: { 'openai-responses': upstream }, secrets };
}

function textsIn(record: Record<string, unknown>, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const value = record[name];
    return typeof value === 'string' ? [value] : [];
  });
}
