/** The agent CLIs that Supervisor knows: how to install each one, and where its login is. */
import { join } from 'node:path';
import { isRecord } from '../base/json.ts';

export type CliEnvironment = Readonly<Record<string, string | undefined>>;

/** The data of a credential file, without the credential. */
export type CliLogin = { readonly expiresAt: number | null; readonly renews: boolean };

export type AgentCli = {
  readonly cli: string;
  readonly title: string;
  readonly npm: string;
  readonly gives: string;
  /** The output format of older versions may differ. */
  readonly least: string;
  /** The version that the tests in `test/real` run; a test compares the two. */
  readonly tried: string;
  /**
   * The models that this version calls if no model is configured. Empty: through the gateway it needs a model. A test in
   * `test/real` compares them with the CLI.
   */
  readonly defaultModels: readonly string[];
  readonly login: string;
  /** Variables that hold a key, or that choose an account of a cloud. */
  readonly variables: readonly string[];
  readonly file: (userDir: string, env: CliEnvironment) => string;
  /** Undefined if there is no login. Accepts any content. */
  readonly readLogin: (content: unknown) => CliLogin | undefined;
};

/** The order in which Supervisor prefers CLIs if the user has chosen none. */
export const PREFERRED_CLIS: readonly string[] = [
  'codex',
  'claude',
  'gemini',
  'copilot',
  'opencode',
];

export const AGENT_CLI_FACTS: readonly AgentCli[] = [
  {
    cli: 'claude',
    title: 'Claude Code',
    npm: '@anthropic-ai/claude-code',
    gives: 'Agents on Anthropic models, by subscription or by key.',
    least: '2.0',
    tried: '2.1.325',
    defaultModels: ['claude-opus-5-5'],
    login: 'claude auth login',
    variables: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
    ],
    file: (userDir, env) =>
      join(envSetting(env, 'CLAUDE_CONFIG_DIR') ?? join(userDir, '.claude'), '.credentials.json'),
    readLogin: (content) => {
      const login = part(content, 'claudeAiOauth');
      if (!isFilled(login['accessToken']) && !isFilled(login['refreshToken'])) return undefined;
      return { expiresAt: instant(login['expiresAt']), renews: isFilled(login['refreshToken']) };
    },
  },
  {
    cli: 'codex',
    title: 'Codex',
    npm: '@openai/codex',
    gives: 'Agents on OpenAI models, by ChatGPT plan or by key.',
    least: '0.50',
    tried: '0.166.0',
    defaultModels: ['gpt-6.1-sol'],
    login: 'codex login',
    variables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
    file: (userDir, env) =>
      join(envSetting(env, 'CODEX_HOME') ?? join(userDir, '.codex'), 'auth.json'),
    readLogin: (content) => {
      const tokens = part(content, 'tokens');
      if (isFilled(tokens['access_token']) || isFilled(tokens['refresh_token']))
        return { expiresAt: null, renews: isFilled(tokens['refresh_token']) };
      const hasKey = isRecord(content) && isFilled(content['OPENAI_API_KEY']);
      return hasKey ? { expiresAt: null, renews: false } : undefined;
    },
  },
  {
    cli: 'gemini',
    title: 'Gemini CLI',
    npm: '@google/gemini-cli',
    gives: 'Agents on Google models, by account or by key.',
    least: '0.11',
    tried: '0.61.0',
    defaultModels: ['gemini-3.1-pro-preview', 'gemini-3.5-flash-lite'],
    login: 'gemini',
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'],
    file: (userDir, env) =>
      join(envSetting(env, 'GEMINI_CLI_HOME') ?? userDir, '.gemini', 'oauth_creds.json'),
    readLogin: (content) => {
      if (!isRecord(content)) return undefined;
      const renews = isFilled(content['refresh_token']);
      if (!isFilled(content['access_token']) && !renews) return undefined;
      return { expiresAt: instant(content['expiry_date']), renews };
    },
  },
  {
    cli: 'copilot',
    title: 'Copilot CLI',
    npm: '@github/copilot',
    gives: 'Agents on the models of a GitHub Copilot plan, or of your own provider.',
    least: '1.0',
    tried: '1.0.102',
    defaultModels: [],
    login: 'copilot login',
    variables: [
      'COPILOT_GITHUB_TOKEN',
      'GH_TOKEN',
      'GITHUB_TOKEN',
      'COPILOT_PROVIDER_API_KEY',
      'COPILOT_PROVIDER_BASE_URL',
    ],
    file: (userDir, env) =>
      join(envSetting(env, 'COPILOT_HOME') ?? join(userDir, '.copilot'), 'config.json'),
    readLogin: (content) => {
      const users = isRecord(content)
        ? (content['loggedInUsers'] ?? content['logged_in_users'])
        : undefined;
      const isIn = Array.isArray(users) && users.length > 0;
      return isIn ? { expiresAt: null, renews: true } : undefined;
    },
  },
  {
    cli: 'opencode',
    title: 'opencode',
    npm: 'opencode-ai',
    gives: 'Agents on almost any provider, local models among them.',
    least: '1.0',
    tried: '1.18.33',
    defaultModels: [],
    login: 'opencode auth login',
    variables: ['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'],
    file: (userDir, env) =>
      join(
        envSetting(env, 'XDG_DATA_HOME') ?? join(userDir, '.local', 'share'),
        'opencode',
        'auth.json',
      ),
    readLogin: (content) => {
      const providers = isRecord(content) ? Object.values(content).filter(isRecord) : [];
      const logins = providers.map((provider) => ({
        expiresAt: provider['type'] === 'oauth' ? instant(provider['expires']) : null,
        renews: isFilled(provider['refresh']),
      }));
      // One provider is enough, so the login that lasts longest counts.
      return logins.toSorted((a, b) => lasts(b) - lasts(a))[0];
    },
  },
];

function lasts({ expiresAt, renews }: CliLogin): number {
  return renews || expiresAt === null ? Number.MAX_VALUE : expiresAt;
}

function part(content: unknown, key: string): Record<string, unknown> {
  const value = isRecord(content) ? content[key] : undefined;
  return isRecord(value) ? value : {};
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Some CLIs write zero or a negative number for "never". */
function instant(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;
}

/** An empty variable counts as unset. */
export function envSetting(env: CliEnvironment, name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}
