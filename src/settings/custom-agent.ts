/** What a person may write of a program that we know nothing about: how it starts, continues, and tells what it did. */
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
  'a path of keys and positions with dots between them, such as usage.total or items.0.text',
);

const UsageFields = z
  .strictObject(
    {
      input: keyPath.optional().describe('Where the tokens that it read are. Default: as above.'),
      output: keyPath.optional().describe('Where the tokens that it wrote are. Default: as above.'),
      cached: keyPath
        .optional()
        .describe('Where the tokens that came from a cache are. Default: as above.'),
      cost: keyPath.optional().describe('Where the dollars that it cost are. Default: as above.'),
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
        .describe('Plain text, one JSON object on a line, or one on each line. Default: text.'),
      result: keyPath.optional().describe("Where the agent's answer is. Default: nowhere."),
      usage: keyPath
        .optional()
        .describe(
          'Where an object with input_tokens, output_tokens and cost_usd is. Default: nowhere.',
        ),
      usage_fields: UsageFields.optional().describe(
        'What the numbers in that object are called, if not as Anthropic, OpenAI, Google or the AI SDK call them.',
      ),
      session: keyPath
        .optional()
        .describe('Where the id of the conversation is. Default: nowhere.'),
      session_line: text(1, 200, 'text of up to 200 characters with {session} in it')
        .refine((line) => line.split('{session}').length === 2, {
          error: 'text with {session} in it once, such as "Session ID: {session}"',
        })
        .optional()
        .describe('A line that it prints, with {session} where the id stands. Default: none.'),
      error: keyPath.optional().describe('Where the error that ended it is. Default: nowhere.'),
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
/** A name of ours in the same folder would be replaced by it. */
const OF_OURS = /^\.supervisor(?:-|\/|$)/;

export const AgentFiles = z
  .record(
    matching(/^(?!\/)(?!.*(?:^|\/)\.{0,2}(?:\/|$))[^\0\n]{1,300}$/, filePathError).refine(
      (path) => !OF_OURS.test(path),
      { error: 'a path that does not begin with .supervisor' },
    ),
    text(0, FILE_CHARS_MAX, `text of up to ${FILE_CHARS_MAX} characters`),
    KEYS,
  )
  .refine((files) => Object.keys(files).length <= FILES_MAX, {
    error: `up to ${FILES_MAX} files`,
  });

/** Of an agent's entry, the keys that depend on each other. */
type CustomEntry = {
  readonly cli: string;
  readonly args: readonly string[];
  readonly command?: readonly string[] | undefined;
  readonly resume_command?: readonly string[] | undefined;
  readonly files: Readonly<Record<string, string>>;
  readonly output?: z.output<typeof AgentOutput> | undefined;
};

type Fault = { readonly path: (string | number)[]; readonly expected: string };

/** What is wrong with the keys together; undefined when nothing is. */
export function customAgentFault(entry: CustomEntry): Fault | undefined {
  const { cli, args, command, resume_command: resume, files, output } = entry;
  if (cli !== 'custom') {
    if (resume !== undefined)
      return { path: ['resume_command'], expected: `no such key: only a custom agent has it` };
    if (Object.keys(files).length > 0)
      return { path: ['files'], expected: 'no such key: only a custom agent has it' };
    return undefined;
  }
  if (args.length === 0 && command === undefined)
    return { path: ['command'], expected: 'the command line of the custom agent' };
  if (resume === undefined || resume.length === 0) return undefined;
  if (!hasSession(resume))
    return { path: ['resume_command'], expected: 'a command line with {session} in it' };
  const isToldOrChosen =
    (output?.session ?? null) !== null ||
    output?.sessionLine !== undefined ||
    hasSession([...(command ?? []), ...args]);
  return isToldOrChosen
    ? undefined
    : {
        path: ['resume_command'],
        expected:
          'a way to know the conversation: output.session, output.session_line, or {session} in command',
      };
}

function hasSession(words: readonly string[]): boolean {
  return words.some((word) => word.includes('{session}'));
}
