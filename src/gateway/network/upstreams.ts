/** Finds the providers that an environment has keys for. The keys stay with the caller; an agent never gets one. */
import type { Upstream } from './upstream.ts';
import type { WireName } from '../wires/wire.ts';

export type Upstreams = Readonly<Partial<Record<WireName, Upstream>>>;

type Provider = {
  readonly wires: readonly WireName[];
  readonly key: string;
  readonly base: string;
  readonly defaultBase: string;
};

const PROVIDERS: readonly Provider[] = [
  {
    wires: ['anthropic'],
    key: 'ANTHROPIC_API_KEY',
    base: 'ANTHROPIC_BASE_URL',
    defaultBase: 'https://api.anthropic.com',
  },
  {
    wires: ['openai-responses', 'openai-chat'],
    key: 'OPENAI_API_KEY',
    base: 'OPENAI_BASE_URL',
    defaultBase: 'https://api.openai.com',
  },
  {
    wires: ['gemini'],
    key: 'GEMINI_API_KEY',
    base: 'GOOGLE_GEMINI_BASE_URL',
    defaultBase: 'https://generativelanguage.googleapis.com',
  },
];

/** The variables that name keys and addresses. No agent may see them. */
export const PROVIDER_VARIABLES: ReadonlySet<string> = new Set([
  ...PROVIDERS.flatMap(({ key, base }) => [key, base]),
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CHATGPT_BASE_URL',
]);

/** A provider without a key is left out. */
export function upstreamsFromEnv(env: Readonly<Record<string, string | undefined>>): Upstreams {
  return Object.fromEntries(
    PROVIDERS.flatMap(({ wires, key, base, defaultBase }) => {
      const value = env[key];
      if (value === undefined || value === '') return [];
      const upstream: Upstream = {
        base: normalizeBase(env[base]) ?? defaultBase,
        credential: { kind: 'key', value },
      };
      return wires.map((wire) => [wire, upstream]);
    }),
  );
}

/** Some users write the API version into the address, but every requested path already contains it. */
function normalizeBase(written: string | undefined): string | undefined {
  const base = written?.replace(/\/+$/, '').replace(/\/v1(?:beta)?$/, '');
  return base === '' ? undefined : base;
}

/** The wire that each CLI uses, as its adapter configures it. */
const WIRES_OF_CLI: Readonly<Record<string, readonly WireName[]>> = {
  claude: ['anthropic'],
  codex: ['openai-responses'],
  gemini: ['gemini'],
  copilot: ['openai-chat'],
  opencode: ['openai-chat'],
};

/** The provider of a model by its name, for programs of which nothing else is known. */
const WIRES_OF_MODEL: readonly (readonly [RegExp, readonly WireName[]])[] = [
  [/^(?:anthropic\/)?claude/, ['anthropic']],
  [/^(?:openai\/)?(?:gpt|o\d|chatgpt|codex)/, ['openai-responses', 'openai-chat']],
  [/^(?:google\/|models\/)?gemini/, ['gemini']],
];

export type WireSpeaker = {
  readonly cli: string;
  readonly model?: string | null | undefined;
  /** The agent's own settings, which may name a key. */
  readonly env: Readonly<Record<string, string | undefined>>;
};

/**
 * Selects the providers that this agent uses, because it must not spend the key of another provider. A custom program
 * uses the providers whose keys it was given, or else that of its model. If neither is known, it uses all of them.
 */
export function upstreamsFor(speaker: WireSpeaker, upstreams: Upstreams): Upstreams {
  const wires = wiresOf(speaker);
  if (wires === undefined) return upstreams;
  return Object.fromEntries(
    Object.entries(upstreams).filter(([wire]) => wires.some((one) => one === wire)),
  );
}

/** Undefined: it may use all of them. */
function wiresOf({ cli, model, env }: WireSpeaker): readonly WireName[] | undefined {
  const named = PROVIDERS.filter(({ key }) => env[key] !== undefined).flatMap(({ wires }) => wires);
  return (
    WIRES_OF_CLI[cli] ??
    (named.length > 0 ? named : WIRES_OF_MODEL.find(([pattern]) => pattern.test(model ?? ''))?.[1])
  );
}

/** The variables that would let this CLI reach a model. Empty if one of them is set, or if the CLI may need none. */
export function missingKeys(cli: string, upstreams: Upstreams): readonly string[] {
  if (cli === 'custom') return [];
  const fitting = PROVIDERS.filter(
    ({ wires }) =>
      WIRES_OF_CLI[cli] === undefined ||
      wires.some((wire) => WIRES_OF_CLI[cli]?.includes(wire) === true),
  );
  const isThere = fitting.some(({ wires }) => wires.some((wire) => upstreams[wire] !== undefined));
  return isThere ? [] : fitting.map(({ key }) => key);
}

/** What a CLI reads besides the key and the address of its provider: a token, an address, the folder of its login. */
const LOGIN_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  claude: ['CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CONFIG_DIR'],
  codex: ['CHATGPT_BASE_URL', 'CODEX_HOME'],
};

/** Every variable in which any CLI finds its credentials. */
export const CREDENTIAL_VARIABLES: ReadonlySet<string> = new Set([
  ...PROVIDER_VARIABLES,
  ...Object.values(LOGIN_VARIABLES).flat(),
]);

/** The variables in which this agent finds its credentials. Scripted agents call no model. */
export function credentialVariables({ cli, model, env }: WireSpeaker): readonly string[] {
  if (cli === 'scripted') return [];
  const wires = wiresOf({ cli, model, env });
  const providers = PROVIDERS.filter(
    (provider) => wires === undefined || provider.wires.some((wire) => wires.includes(wire)),
  );
  return [...providers.flatMap(({ key, base }) => [key, base]), ...(LOGIN_VARIABLES[cli] ?? [])];
}

/** Whether the agent has to use Anthropic's API with a subscription login. */
export function isLogin({ anthropic }: Upstreams): boolean {
  return anthropic?.credential.kind === 'login';
}
