/** Which providers an environment pays for. The keys stay with whoever asks; an agent never gets one. */
import type { Upstream } from './upstream.ts';
import type { WireName } from '../wires/wire.ts';

export type Upstreams = Readonly<Partial<Record<WireName, Upstream>>>;

type Provider = {
  readonly wires: readonly WireName[];
  readonly key: string;
  readonly base: string;
  readonly home: string;
};

const PROVIDERS: readonly Provider[] = [
  {
    wires: ['anthropic'],
    key: 'ANTHROPIC_API_KEY',
    base: 'ANTHROPIC_BASE_URL',
    home: 'https://api.anthropic.com',
  },
  {
    wires: ['openai-responses', 'openai-chat'],
    key: 'OPENAI_API_KEY',
    base: 'OPENAI_BASE_URL',
    home: 'https://api.openai.com',
  },
  {
    wires: ['gemini'],
    key: 'GEMINI_API_KEY',
    base: 'GOOGLE_GEMINI_BASE_URL',
    home: 'https://generativelanguage.googleapis.com',
  },
];

/** The variables that say who pays and where: none of them is for an agent to see. */
export const PROVIDER_VARIABLES: ReadonlySet<string> = new Set([
  ...PROVIDERS.flatMap(({ key, base }) => [key, base]),
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CHATGPT_BASE_URL',
]);

/** A provider without a key is left out. */
export function upstreamsFromEnv(env: Readonly<Record<string, string | undefined>>): Upstreams {
  return Object.fromEntries(
    PROVIDERS.flatMap(({ wires, key, base, home }) => {
      const value = env[key];
      if (value === undefined || value === '') return [];
      const upstream: Upstream = {
        base: baseOf(env[base]) ?? home,
        credential: { kind: 'key', value },
      };
      return wires.map((wire) => [wire, upstream]);
    }),
  );
}

/** Some write the version into it, which is part of every path that we are asked for. */
function baseOf(written: string | undefined): string | undefined {
  const base = written?.replace(/\/+$/, '').replace(/\/v1(?:beta)?$/, '');
  return base === '' ? undefined : base;
}

/** How each CLI speaks to the gateway, as its adapter tells it to. */
const WIRES_OF_CLI: Readonly<Record<string, readonly WireName[]>> = {
  claude: ['anthropic'],
  codex: ['openai-responses'],
  gemini: ['gemini'],
  copilot: ['openai-chat'],
  opencode: ['openai-chat'],
};

/** Whose models begin in which way, for programs of which nothing else is known. */
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
 * Only the providers that this agent speaks to: another one's key is not for it to spend. A custom program
 * speaks to those whose keys it was given, else to that of its model; where neither is known, to all.
 */
export function upstreamsFor({ cli, model, env }: WireSpeaker, upstreams: Upstreams): Upstreams {
  const named = PROVIDERS.filter(({ key }) => env[key] !== undefined).flatMap(({ wires }) => wires);
  const wires =
    WIRES_OF_CLI[cli] ??
    (named.length > 0 ? named : WIRES_OF_MODEL.find(([pattern]) => pattern.test(model ?? ''))?.[1]);
  if (wires === undefined) return upstreams;
  return Object.fromEntries(
    Object.entries(upstreams).filter(([wire]) => wires.some((one) => one === wire)),
  );
}

/** Which variables would let this CLI reach a model; empty when one of them is there, or it may need none. */
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

/** Whether the agent has to speak to Anthropic as a subscriber does. */
export function isLogin({ anthropic }: Upstreams): boolean {
  return anthropic?.credential.kind === 'login';
}
