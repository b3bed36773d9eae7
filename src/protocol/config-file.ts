/**
 * What a person may write in a configuration file: every key optional, durations and sizes with
 * their unit. Descriptions and defaults reach editors and the guide from here. Each leaf's error is
 * the words that follow "expected", so that a refusal reads as one sentence.
 */
import { z } from 'zod';
import { readPattern } from '../base/pattern.ts';
import { shellWords } from '../base/shell-words.ts';
import { FAILURE_REASONS } from './failure.ts';
import { DURATION_UNITS_MS, parseQuantity, quantityPattern, SIZE_UNITS_BYTES } from './quantity.ts';
import type { Units } from './quantity.ts';

export const AGENT_CLIS = [
  'scripted',
  'claude',
  'codex',
  'gemini',
  'copilot',
  'opencode',
  'custom',
] as const;

export const SANDBOX_BACKENDS = [
  'auto',
  'bubblewrap',
  'docker',
  'podman',
  'seatbelt',
  'none',
] as const;

function quantity(
  [low, high]: readonly [low: string, high: string],
  units: Units,
  plainUnit: number,
  kind: string,
) {
  const [min, max] = [low, high].map(
    (text) => parseQuantity(text, units, plainUnit) ?? Number.NaN,
  ) as [number, number];
  const error = `${kind}, from ${low} to ${high}`;
  const text = z.string({ error }).regex(new RegExp(quantityPattern(units)), { error });
  const plain = whole(Math.ceil(min / plainUnit), Math.floor(max / plainUnit), error);
  return z.union([text, plain], { error }).transform((written, context) => {
    const value = parseQuantity(written, units, plainUnit);
    if (value !== undefined && value >= min && value <= max) return value;
    context.issues.push({ code: 'custom', message: error, input: written });
    return z.NEVER;
  });
}

function duration(low: string, high: string) {
  const kind = 'a duration such as 500ms, 10s, 5m, 12h or 1d, or whole seconds';
  return quantity([low, high], DURATION_UNITS_MS, DURATION_UNITS_MS.s, kind);
}

function size(low: string, high: string) {
  const kind = 'a size such as 512kB or 10MB, or whole bytes';
  return quantity([low, high], SIZE_UNITS_BYTES, SIZE_UNITS_BYTES.B, kind);
}

function whole(min: number, max: number, error = `a whole number from ${min} to ${max}`) {
  return z.int({ error }).min(min, { error }).max(max, { error });
}

function amount(min: number, max: number, error = `a number from ${min} to ${max}`) {
  return z.number({ error }).min(min, { error }).max(max, { error });
}

/** A NUL can't be passed to a process, so no text may hold one. */
function text(min: number, max: number, error: string) {
  return z
    .string({ error })
    .min(min, { error })
    .max(max, { error })
    .regex(/^[^\0]*$/, { error });
}

function matching(pattern: RegExp, error: string) {
  return z.string({ error }).regex(pattern, { error });
}

const KEYS = { error: 'keys with values' };
const agentIdError = 'a name of up to 64 letters, digits and _ . : - that begins with a letter';
const agentId = matching(/^[a-zA-Z][a-zA-Z0-9_.:-]{0,63}$/, agentIdError);
const cliError = `one of ${AGENT_CLIS.join(', ')}`;
const environment = z.record(
  matching(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'the name of an environment variable'),
  text(0, 32_768, 'text of up to 32768 characters (quote it if it looks like a number)'),
  KEYS,
);

const path = matching(/^(\/|~\/)[^\0]{0,4000}$/, 'a path that begins with / or ~/');
const argumentError = 'text of up to 8192 characters (quote it if it looks like a number)';
const argument = text(0, 8192, argumentError);
const keyPath = matching(
  /^[A-Za-z0-9_$@-]+(\.[A-Za-z0-9_$@-]+){0,19}$/,
  'a path of keys and positions with dots between them, such as usage.total or items.0.text',
);

const AgentOutput = z.strictObject(
  {
    format: z
      .enum(['text', 'json', 'jsonl'], { error: 'one of text, json, jsonl' })
      .prefault('text')
      .describe('Plain text, one JSON object on a line, or one on each line. Default: text.'),
    result: keyPath.optional().describe("Where the agent's answer is. Default: nowhere."),
    usage: keyPath
      .optional()
      .describe(
        'Where an object with input_tokens, output_tokens and cost_usd is. Default: nowhere.',
      ),
    session: keyPath.optional().describe('Where the id of the conversation is. Default: nowhere.'),
    error: keyPath.optional().describe('Where the error that ended it is. Default: nowhere.'),
  },
  KEYS,
);

const AgentEntry = z
  .strictObject(
    {
      id: agentId.describe('The name of this agent, unique among all files; required.'),
      cli: z
        .enum(AGENT_CLIS, { error: cliError })
        .describe('Which program it is; required. A custom one is started by its args.'),
      args: z
        .array(argument, { error: 'a list of texts' })
        .max(100, { error: 'a list of up to 100 texts' })
        .prefault([])
        .describe(
          'Further arguments, one an item; for a custom agent the whole command line. Default: none.',
        ),
      flags: text(0, 8192, argumentError)
        .refine((line) => shellWords(line) !== undefined, {
          error: 'a line whose quotes are all closed',
        })
        .optional()
        .describe('Further arguments in one line, parted as a shell does. Default: none.'),
      command: z
        .array(argument, { error: 'a list of texts' })
        .min(1, { error: 'a list of 1 to 100 texts' })
        .max(100, { error: 'a list of 1 to 100 texts' })
        .optional()
        .describe(
          'The command line of a custom agent, in which {prompt}, {prompt_file}, {workspace} and {model} are filled in. Default: its args.',
        ),
      output: AgentOutput.optional().describe(
        'How a custom agent tells what it did. Default: as text.',
      ),
      model: text(1, 200, 'text of 1 to 200 characters')
        .optional()
        .describe("The model to ask for. Default: the program's own choice."),
      config_dir: path
        .optional()
        .describe(
          "The directory of the program's own settings and login. Default: where it looks itself.",
        ),
      env: environment
        .prefault({})
        .describe('Environment variables for this agent only. Default: none.'),
    },
    KEYS,
  )
  .refine(
    ({ cli, args, command }) => cli !== 'custom' || args.length > 0 || command !== undefined,
    {
      path: ['command'],
      error: 'the command line of the custom agent',
    },
  );

const ruleError = 'a name of up to 64 letters, digits and - that begins with a letter';

const ClassifyRule = z
  .strictObject(
    {
      id: matching(/^[a-zA-Z][a-zA-Z0-9-]{0,63}$/, ruleError).describe(
        'The name of this rule, as evidence shows it; required.',
      ),
      cli: z
        .enum(AGENT_CLIS, { error: cliError })
        .optional()
        .describe('The only program that it is for. Default: all of them.'),
      reason: z
        .enum(FAILURE_REASONS, { error: `one of ${FAILURE_REASONS.join(', ')}` })
        .describe('What such an end is; required.'),
      pattern: text(1, 2000, 'a pattern of 1 to 2000 characters')
        .refine((source) => readPattern(source).kind === 'pattern', {
          error: (issue) => {
            const read = readPattern(String(issue.input));
            return `a pattern that can be matched in linear time (${read.kind === 'refused' ? read.why : ''})`;
          },
        })
        .optional()
        .describe('Found in an error that ended it, or in one of its last lines. Default: none.'),
      exit_codes: z
        .array(whole(0, 255), { error: 'a list of exit codes' })
        .max(50, { error: 'a list of up to 50 exit codes' })
        .prefault([])
        .describe('Exit codes that say it by themselves. Default: none.'),
    },
    KEYS,
  )
  .refine(({ pattern, exit_codes: codes }) => pattern !== undefined || codes.length > 0, {
    path: ['pattern'],
    error: 'a pattern or exit codes',
  });

const Classify = z.strictObject(
  {
    rules: z
      .array(ClassifyRule, { error: 'a list of rules' })
      .max(100, { error: 'a list of up to 100 rules' })
      .prefault([])
      .describe('Rules of your own, which count before the built-in ones. Default: none.'),
  },
  KEYS,
);

const Limits = z.strictObject(
  {
    attempts: whole(1, 1000)
      .prefault(10)
      .describe('How many attempts run at once, over all projects. Default: 10.'),
    attempts_per_project: whole(1, 1000)
      .prefault(10)
      .describe('How many attempts run at once in one project. Default: 10.'),
    starts_per_minute: whole(1, 10_000)
      .optional()
      .describe('How many attempts may start in a minute, over all projects. Default: no limit.'),
  },
  KEYS,
);

const Attempt = z.strictObject(
  {
    grace: duration('0s', '10m')
      .prefault('10s')
      .describe('How long an attempt that is asked to end has before it is killed. Default: 10s.'),
    deadline: duration('1s', '30d')
      .optional()
      .describe('How long one attempt may take before it is asked to end. Default: no deadline.'),
    lost_max: whole(0, 100)
      .prefault(3)
      .describe(
        'How many times an attempt that was lost to a crash of Supervisor begins again. Default: 3.',
      ),
    output_max: size('64kB', '1GB')
      .prefault('10MB')
      .describe("How much of one attempt's output is kept: its head and its tail. Default: 10MB."),
  },
  KEYS,
);

const MountEntry = z.strictObject(
  {
    path: path.describe('What is shown: a folder or file of this machine; required.'),
    to: matching(/^\/[^\0]{1,4000}$/, 'a path that begins with /')
      .optional()
      .describe('Where it is shown. Default: at its own path.'),
    mode: z
      .enum(['ro', 'rw'], { error: 'ro or rw' })
      .prefault('ro')
      .describe('Whether it may be changed: rw, or only read: ro. Default: ro.'),
  },
  KEYS,
);

const Sandbox = z.strictObject(
  {
    backend: z
      .enum(SANDBOX_BACKENDS, { error: `one of ${SANDBOX_BACKENDS.join(', ')}` })
      .prefault('auto')
      .describe(
        'What holds the agents. auto is the strongest that works here; none also takes --unsafe-no-sandbox. Default: auto.',
      ),
    image: matching(/^\w[\w./:@-]{0,255}$/, 'the name of an image, such as debian:12')
      .optional()
      .describe('The image for docker and podman; it needs sh, and socat or node. Default: none.'),
    pull: z
      .enum(['never', 'missing', 'always'], { error: 'one of never, missing, always' })
      .prefault('missing')
      .describe('When the image is fetched from its registry. Default: missing.'),
    memory: size('64MB', '999GB')
      .prefault('4GB')
      .describe('How much memory an agent and all that it starts may use. Default: 4GB.'),
    cpus: z
      .number({ error: 'a number from 0.1 to 1000' })
      .min(0.1, { error: 'a number from 0.1 to 1000' })
      .max(1000, { error: 'a number from 0.1 to 1000' })
      .prefault(2)
      .describe('How many processors it may keep busy. Default: 2.'),
    pids: whole(16, 100_000)
      .prefault(512)
      .describe('How many processes and threads it may have at once. Default: 512.'),
    disk: size('10MB', '999GB')
      .prefault('10GB')
      .describe('How much its folders may hold, looked at every few seconds. Default: 10GB.'),
    tmp: size('1MB', '99GB')
      .prefault('500MB')
      .describe('How much fits into its /tmp, which lives in memory. Default: 500MB.'),
    mounts: z
      .array(MountEntry, { error: 'a list of mounts' })
      .max(50, { error: 'a list of up to 50 mounts' })
      .prefault([])
      .describe('Further folders and files that agents see. Default: none.'),
    preflight: z
      .array(matching(/^(\/|~\/|\.\/)[^\0]{0,4000}$/, 'a path that begins with /, ~/ or ./'), {
        error: 'a list of paths',
      })
      .max(10, { error: 'a list of up to 10 paths' })
      .prefault([])
      .describe(
        'Shell scripts that run inside before each agent, in order; ./ is the project. The first that fails ends the attempt. Default: none.',
      ),
  },
  KEYS,
);

const Owner = z.strictObject(
  {
    idle_exit: duration('1s', '365d')
      .prefault('10m')
      .describe('How long the owner stays with nothing to do before it ends itself. Default: 10m.'),
  },
  KEYS,
);

const ModelPrice = z.strictObject(
  {
    model: text(1, 200, 'text of 1 to 200 characters').describe('Its name; required.'),
    input: amount(0, 10_000).describe('US dollars for a million tokens that it reads; required.'),
    output: amount(0, 10_000).describe('The same for those that it writes; required.'),
    cached: amount(0, 10_000)
      .optional()
      .describe('The same for those that it reads from a cache. Default: as input.'),
    cache_write: amount(0, 10_000)
      .optional()
      .describe('The same for those that go into a cache. Default: as input.'),
  },
  KEYS,
);

const Gateway = z.strictObject(
  {
    limit_patience: duration('0s', '10m')
      .prefault('60s')
      .describe(
        'The longest wait for a limit that a call is held for, so that its agent sees only a slow answer. Default: 60s.',
      ),
    calls_per_project: whole(1, 1000)
      .prefault(10)
      .describe('How many model calls of one project are under way at once. Default: 10.'),
    first_byte: duration('10s', '1h')
      .prefault('10m')
      .describe('How long a provider may take to begin its answer. Default: 10m.'),
    silence: duration('10s', '1h')
      .prefault('5m')
      .describe('How long an answer may pause before it is given up. Default: 5m.'),
    request_max: size('1MB', '256MB')
      .prefault('32MB')
      .describe('The largest request that is passed on. Default: 32MB.'),
    record_max: size('0B', '1GB')
      .prefault('64MB')
      .describe("How much of one attempt's calls is recorded, without secrets. Default: 64MB."),
    prices: z
      .array(ModelPrice, { error: 'a list of prices' })
      .max(200, { error: 'a list of up to 200 prices' })
      .prefault([])
      .describe('Prices of models that are not in the built-in table, or differ. Default: none.'),
  },
  KEYS,
);

const Caps = z.strictObject(
  {
    tokens: whole(1, 1_000_000_000_000)
      .optional()
      .describe('Tokens read and written, cached ones too. Default: no cap.'),
    usd: amount(0.01, 1_000_000).optional().describe('US dollars. Default: no cap.'),
    calls: whole(1, 1_000_000_000).optional().describe('Model calls. Default: no cap.'),
    wall: duration('1s', '365d')
      .optional()
      .describe('Time since the first of it began. Default: no cap.'),
  },
  KEYS,
);

const Budget = z.strictObject(
  {
    run: Caps.prefault({}).describe('For one run, over all of its attempts.'),
    project: Caps.prefault({}).describe('For all runs of a project together.'),
    tree: Caps.prefault({}).describe('For an agent and all that it starts.'),
  },
  KEYS,
);

/** One configuration file, after notes (`x-*`) and nulls have been taken out. */
export const ConfigFile = z.strictObject(
  {
    version: z
      .literal(1, { error: '1, the only version that this Supervisor reads' })
      .prefault(1)
      .describe('The version of this format. Default: 1.'),
    agents: z
      .array(AgentEntry, { error: 'a list of agents' })
      .max(100, { error: 'a list of up to 100 agents' })
      .prefault([])
      .describe('Agents of your own, beside one built-in agent for each CLI. Default: none.'),
    default_agent: agentId
      .optional()
      .describe('The agent of a run that names none. Default: none, a run must name one.'),
    limits: Limits.prefault({}).describe('How much may go on at once.'),
    attempt: Attempt.prefault({}).describe('What one attempt may use, and how it ends.'),
    sandbox: Sandbox.prefault({}).describe('What an agent may see and use.'),
    classify: Classify.prefault({}).describe('How the end of an attempt is understood.'),
    gateway: Gateway.prefault({}).describe('How model calls are passed on.'),
    budget: Budget.prefault({}).describe(
      'What may be spent before the run pauses and asks. Nothing is capped by default.',
    ),
    owner: Owner.prefault({}).describe('The background process that owns the state.'),
  },
  KEYS,
);
export type ConfigFile = z.infer<typeof ConfigFile>;

/** The part of JSON Schema that describes `ConfigFile`. */
export type JsonSchema = {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly propertyNames?: JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly pattern?: string;
};

/** `ConfigFile` as JSON Schema, with its descriptions and defaults. */
export function configFileJsonSchema(): JsonSchema {
  return z.toJSONSchema(ConfigFile, { io: 'input' }) as JsonSchema;
}
