/**
 * What a person may write in a configuration file: every key optional, durations and sizes with
 * their unit. Descriptions and defaults reach editors and the guide from here. Each leaf's error is
 * the words that follow "expected", so that a refusal reads as one sentence.
 */
import { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';
import { KEYS, matching, text, whole } from './leaves.ts';
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

const agentIdError = 'a name of up to 64 letters, digits and _ . : - that begins with a letter';
export const agentId = matching(/^[a-zA-Z][a-zA-Z0-9_.:-]{0,63}$/, agentIdError);
const cliError = `one of ${AGENT_CLIS.join(', ')}`;
const environment = z.record(
  matching(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'the name of an environment variable'),
  text(0, 32_768, 'text of up to 32768 characters (quote it if it looks like a number)'),
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
        .array(
          text(0, 8192, 'text of up to 8192 characters (quote it if it looks like a number)'),
          {
            error: 'a list of texts',
          },
        )
        .max(100, { error: 'a list of up to 100 texts' })
        .prefault([])
        .describe(
          'Further arguments, one an item; for a custom agent the whole command line. Default: none.',
        ),
      model: text(1, 200, 'text of 1 to 200 characters')
        .optional()
        .describe("The model to ask for. Default: the program's own choice."),
      config_dir: matching(/^(\/|~\/)[^\0]{0,4000}$/, 'a path that begins with / or ~/')
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
  .refine(({ cli, args }) => cli !== 'custom' || args.length > 0, {
    path: ['args'],
    error: 'the command line of the custom agent',
  });

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

const Owner = z.strictObject(
  {
    idle_exit: duration('1s', '365d')
      .prefault('10m')
      .describe('How long the owner stays with nothing to do before it ends itself. Default: 10m.'),
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
    owner: Owner.prefault({}).describe('The background process that owns the state.'),
  },
  KEYS,
);
export type ConfigFile = z.infer<typeof ConfigFile>;

/** `ConfigFile` as JSON Schema, with its descriptions and defaults. */
export function configFileJsonSchema(): JsonSchema {
  return z.toJSONSchema(ConfigFile, { io: 'input' }) as JsonSchema;
}
