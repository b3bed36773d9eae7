/** Schema of a custom agent: how to start it, resume it, and read its output. */
import { z } from 'zod';
import { defined } from '../base/defined.ts';
import { KEYS, matching, text } from './schema-fields.ts';

export const argumentError = 'text of up to 8192 characters (quote it if it looks like a number)';
export const argument = text(0, 8192, argumentError);

const COMMAND_WORDS = 'a list of 1 to 100 texts';
export const commandLine = z
  .array(argument, { error: 'a list of texts' })
  .min(1, { error: COMMAND_WORDS })
  .max(100, { error: COMMAND_WORDS });

const keyPath = matching(
  /^[A-Za-z0-9_$@-]+(\.[A-Za-z0-9_$@-]+){0,19}$/,
  'keys and indexes separated by dots, such as usage.total or items.0.text',
);

const UsageFields = z
  .strictObject(
    {
      input: keyPath
        .optional()
        .describe('The key of the input tokens. Default: one of the usual names.'),
      output: keyPath
        .optional()
        .describe('The key of the output tokens. Default: one of the usual names.'),
      cached: keyPath
        .optional()
        .describe('The key of the cached input tokens. Default: one of the usual names.'),
      cost: keyPath
        .optional()
        .describe('The key of the cost in US dollars. Default: one of the usual names.'),
    },
    KEYS,
  )
  .transform(defined);

export const AgentOutput = z
  .strictObject(
    {
      format: z
        .enum(['text', 'json', 'jsonl'], { error: 'one of text, json, jsonl' })
        .prefault('text')
        .describe(
          'text, json (one JSON object on one line) or jsonl (one JSON object per line). Default: text.',
        ),
      result: keyPath
        .optional()
        .describe("The path of the agent's answer in the JSON. Default: none."),
      usage: keyPath
        .optional()
        .describe(
          'The path of an object with input_tokens, output_tokens and cost_usd. Default: none.',
        ),
      usage_fields: UsageFields.optional().describe(
        'Names of the numbers in that object, if they differ from those of Anthropic, OpenAI, Google and the AI SDK.',
      ),
      session: keyPath.optional().describe('The path of the conversation id. Default: none.'),
      session_line: text(1, 200, 'text of up to 200 characters that contains {session}')
        .refine((line) => line.split('{session}').length === 2, {
          error: 'text that contains {session} once, such as "Session ID: {session}"',
        })
        .optional()
        .describe('A line of its output, with {session} in place of the id. Default: none.'),
      error: keyPath.optional().describe('The path of the error that ended it. Default: none.'),
    },
    KEYS,
  )
  .transform((output) => ({
    format: output.format,
    result: output.result ?? null,
    usage: output.usage ?? null,
    session: output.session ?? null,
    error: output.error ?? null,
    ...defined({ usageFields: output.usage_fields, sessionLine: output.session_line }),
  }));

const FILES_MAX = 20;
const FILE_CHARS_MAX = 100_000;
const filePathError =
  'the path of a file in the home of the agent, such as .config/tool/settings.json, without . and ..';
/** Supervisor's own files are in the same folder and must not be replaced. */
const RESERVED = /^\.supervisor(?:-|\/|$)/;

export const AgentFiles = z
  .record(
    matching(/^(?!\/)(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\0\n]{1,300}$/, filePathError).refine(
      (path) => !RESERVED.test(path),
      { error: 'a path that does not start with .supervisor' },
    ),
    text(0, FILE_CHARS_MAX, `text of up to ${FILE_CHARS_MAX} characters`),
    KEYS,
  )
  .refine((files) => Object.keys(files).length <= FILES_MAX, {
    error: `up to ${FILES_MAX} files`,
  });

/** The keys of an agent's entry that depend on each other. */
type CustomEntry = {
  readonly cli: string;
  readonly args: readonly string[];
  readonly command?: readonly string[] | undefined;
  readonly resume_command?: readonly string[] | undefined;
  readonly files: Readonly<Record<string, string>>;
  readonly output?: z.output<typeof AgentOutput> | undefined;
};

type Fault = { readonly path: (string | number)[]; readonly expected: string };

/** Checks the keys against each other. */
export function customAgentFault(entry: CustomEntry): Fault | undefined {
  const { cli, args, command, resume_command: resume, files, output } = entry;
  if (cli !== 'custom') {
    if (resume !== undefined)
      return { path: ['resume_command'], expected: 'no such key: only custom agents have it' };
    if (Object.keys(files).length > 0)
      return { path: ['files'], expected: 'no such key: only custom agents have it' };
    return undefined;
  }
  if (args.length === 0 && command === undefined)
    return { path: ['command'], expected: 'the command line of the custom agent' };
  if (resume === undefined || resume.length === 0) return undefined;
  if (!hasSession(resume))
    return { path: ['resume_command'], expected: 'a command line that contains {session}' };
  const hasSessionId =
    (output?.session ?? null) !== null ||
    output?.sessionLine !== undefined ||
    hasSession([...(command ?? []), ...args]);
  return hasSessionId
    ? undefined
    : {
        path: ['resume_command'],
        expected:
          'a way to get the conversation id: output.session, output.session_line, or {session} in command',
      };
}

function hasSession(words: readonly string[]): boolean {
  return words.some((word) => word.includes('{session}'));
}
