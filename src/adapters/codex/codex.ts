/** The adapter for Codex: `codex exec --json`. */
import type {
  AgentAdapter,
  AgentBrief,
  AtTerminal,
  Invocation,
  InvocationRefusal,
} from '../adapter.ts';
import { diedWith, failedBy, isZero } from '../conclude.ts';
import { firstPrompt } from '../first-prompt.ts';
import { readGrants } from '../tool-grants.ts';
import { readCodex } from './read-codex.ts';
import { isRecord } from '../../base/json.ts';

/** The name of the gateway in Codex's provider settings. */
const PROVIDER = 'supervisor';
const KEY_VARIABLE = 'SUPERVISOR_MODEL_KEY';
/** In the agent's home. */
const CONFIG_FILE = '.codex/config.toml';
const SCHEMA_FILE = '.codex/answer-schema.json';

export const codex: AgentAdapter = {
  cli: 'codex',
  structured: true,
  // Its flag that trusts our hook would also trust the hooks of the project.
  messages: () => ({ channel: 'gateway' }),
  command,
  atTerminal,
  read: (line, stream) => readCodex(line, stream),

  conclude(exit, transcript) {
    if (transcript.failed !== null && (transcript.failed.final || !isZero(exit)))
      return failedBy(transcript.failed.error);
    if (isZero(exit) && (transcript.concluded !== null || transcript.events === 0))
      return { kind: 'done', summary: transcript.concluded || transcript.lastWords };
    // Codex reports every failure of a turn. A turn that just stops was stopped by SIGINT.
    const isQuiet = exit.kind === 'code' && exit.code <= 1 && transcript.session !== null;
    if (isQuiet && transcript.retrying === null && transcript.concluded === null)
      return { kind: 'interrupted', message: 'ended in the middle of its turn' };
    return diedWith(exit, transcript);
  },
};

function command(brief: AgentBrief): Invocation | InvocationRefusal {
  const { agent, prompt, gateway, resume, home } = brief;
  const granted = brief.allowedTools === null ? null : readGrants(brief.allowedTools);
  if (granted?.kind === 'refused') return granted;
  // Its shell reads, writes and runs commands, so these grants come together or not at all.
  if (
    granted !== null &&
    !(['read', 'edit', 'shell'] as const).every((one) => granted.grants.has(one))
  )
    return { kind: 'refused', why: 'has one tool for reading, editing and running commands' };
  const isOffline = granted !== null && !granted.grants.has('web');
  // The schema is passed as a file, which needs the agent's own home.
  const schema = home === null ? null : brief.answerSchema;
  const folder = agent.configDir ?? (home === null ? null : `${home}/.codex`);
  return {
    kind: 'run',
    argv: [
      'codex',
      'exec',
      ...(resume === null ? [] : ['resume']),
      '--json',
      '--skip-git-repo-check',
      ...ownArgs(brief, isOffline),
      ...(schema === null ? [] : ['--output-schema', `${home}/${SCHEMA_FILE}`]),
      ...agent.args,
      ...(resume === null ? [] : [resume]),
      '-',
    ],
    env: {
      ...(folder === null ? {} : { CODEX_HOME: folder }),
      ...(gateway === null ? {} : { [KEY_VARIABLE]: gateway.token }),
    },
    stdin: prompt,
    files: {
      // The folder must exist before it starts.
      ...(home === null || agent.configDir ? {} : { [CONFIG_FILE]: '' }),
      ...(schema === null ? {} : { [SCHEMA_FILE]: JSON.stringify(strictSchema(schema)) }),
    },
    wantsPromptFile: false,
    askSignal: 'SIGINT',
  };
}

/** What it needs in any mode. */
function ownArgs(
  { agent, contained, orchestrates, gateway }: AgentBrief,
  isOffline: boolean,
): readonly string[] {
  return [
    ...(contained ? ['--dangerously-bypass-approvals-and-sandbox'] : []),
    ...(agent.model ? ['-m', agent.model] : []),
    ...(isOffline ? ['-c', 'web_search="disabled"'] : []),
    ...(orchestrates ? [] : settings({ 'features.goals': 'false' })),
    ...(gateway === null ? [] : throughGateway(gateway.baseUrl)),
  ];
}

function atTerminal(brief: AgentBrief): AtTerminal | InvocationRefusal {
  const { agent, resume, workspace } = brief;
  const normal = command(brief);
  if (normal.kind === 'refused') return normal;
  const first = firstPrompt(brief);
  const isOffline = normal.argv.includes('web_search="disabled"');
  const trusted = `projects={${JSON.stringify(workspace)}={trust_level="trusted"}}`;
  return {
    ...normal,
    argv: [
      'codex',
      ...(resume === null ? [] : ['resume']),
      ...ownArgs(brief, isOffline),
      ...['-c', trusted, '-c', 'check_for_update_on_startup=false'],
      ...agent.args,
      ...(resume === null ? ['--', first.prompt] : [resume]),
    ],
    stdin: '',
    wantsPromptFile: resume === null && first.wantsPromptFile,
    askSignal: 'SIGTERM',
    session: resume,
  };
}

function throughGateway(baseUrl: string): readonly string[] {
  const provider = [
    'name="supervisor"',
    `base_url=${JSON.stringify(`${baseUrl}/v1`)}`,
    `env_key="${KEY_VARIABLE}"`,
    'wire_api="responses"',
    'request_max_retries=1',
    'stream_max_retries=1',
    // The gateway decides how long a provider may be silent, and a paused run is silent too.
    'stream_idle_timeout_ms=3600000',
  ];
  return settings({
    model_provider: PROVIDER,
    [`model_providers.${PROVIDER}`]: `{${provider.join(',')}}`,
    // Otherwise it would wait for the network forever.
    'features.unbounded_connection_retries': 'false',
  });
}

function settings(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
}

type Schema = Readonly<Record<string, unknown>>;

/** Bounds are left out, since OpenAI does not know all of them. */
const COPIED_KEYS = ['type', 'enum', 'const', 'description'] as const;

/** The form of a schema that OpenAI enforces: every key is required, and an optional one may be null instead. */
function strictSchema(schema: Schema): Schema {
  const { properties, items, anyOf } = schema;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return {
    ...Object.fromEntries(
      COPIED_KEYS.flatMap((key) => (key in schema ? [[key, schema[key]]] : [])),
    ),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.filter(isRecord).map(strictSchema) }),
    ...(isRecord(items) && { items: strictSchema(items) }),
    ...(isRecord(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => {
          const strict = strictSchema(isRecord(value) ? value : {});
          return [key, required.includes(key) ? strict : orNull(strict)];
        }),
      ),
      required: Object.keys(properties),
      additionalProperties: false,
    }),
  };
}

function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] };
}
