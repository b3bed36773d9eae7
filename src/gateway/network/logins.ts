/**
 * Logins (subscriptions) as a provider's upstream: the token that a CLI has kept on this machine is
 * put in outside, and inside there is the token of the attempt. Nothing is renewed here: whoever
 * logged in does that with their own CLI.
 */
import type { Instant } from '../../base/clock.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import type { Upstreams } from './upstreams.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type Login =
  | {
      readonly kind: 'login';
      readonly upstreams: Upstreams;
      /** Everything in it that nobody should see. */
      readonly secrets: readonly string[];
    }
  | { readonly kind: 'expired' };

const ANTHROPIC = 'https://api.anthropic.com';
const CHATGPT = 'https://chatgpt.com/backend-api/codex';

/** Where a CLI keeps its login, below its folder of settings; undefined: we know of none that we could use. */
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

/** What such a file says. Undefined: it holds no login. */
export function readLogin(cli: string, text: string, env: Env, now: Instant): Login | undefined {
  const kept = parseJson(text);
  if (!isRecord(kept)) return undefined;
  return cli === 'claude' ? claudeLogin(kept, env, now) : codexLogin(kept, env);
}

/** The token that `claude setup-token` prints, which has no file. */
export function loginInEnvironment(cli: string, env: Env): Login | undefined {
  const token = env['CLAUDE_CODE_OAUTH_TOKEN'];
  return cli === 'claude' && token ? anthropic(token, [token], env) : undefined;
}

function claudeLogin(kept: Record<string, unknown>, env: Env, now: Instant): Login | undefined {
  const login = kept['claudeAiOauth'];
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

/** It holds either a key, or the tokens of a ChatGPT plan, which has another address. */
function codexLogin(kept: Record<string, unknown>, env: Env): Login | undefined {
  const key = kept['OPENAI_API_KEY'];
  if (typeof key === 'string' && key !== '') {
    const base = (env['OPENAI_BASE_URL'] ?? '').replace(/\/v1\/?$/, '') || 'https://api.openai.com';
    const upstream = { base, credential: { kind: 'key', value: key } as const };
    return { kind: 'login', upstreams: { 'openai-responses': upstream }, secrets: [key] };
  }
  const tokens = kept['tokens'];
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
