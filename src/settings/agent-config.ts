/** What a person may write of an agent, and of how its end is understood. */
import { z } from 'zod';
import { compileRegex } from '../base/linear-regex.ts';
import { defined } from '../base/defined.ts';
import type { AgentId } from '../base/ids.ts';
import { shellWords } from '../base/shell-words.ts';
import { FAILURE_REASONS } from '../protocol/failure-reason.ts';
import {
  AgentFiles,
  AgentOutput,
  argument,
  argumentError,
  commandLine,
  customAgentFault,
} from './custom-agent.ts';
import type { Immutable } from './schema-fields.ts';
import { KEYS, machinePath, matching, text, whole } from './schema-fields.ts';

export const AGENT_CLIS = [
  'scripted',
  'claude',
  'codex',
  'gemini',
  'copilot',
  'opencode',
  'custom',
] as const;

const agentIdError = 'a name of up to 64 letters, digits and _ . : - that begins with a letter';
export const agentId = matching(/^[a-zA-Z][a-zA-Z0-9_.:-]{0,63}$/, agentIdError);
const cliError = `one of ${AGENT_CLIS.join(', ')}`;
const environment = z.record(
  matching(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'the name of an environment variable'),
  text(0, 32_768, 'text of up to 32768 characters (quote it if it looks like a number)'),
  KEYS,
);

/** Only `config` says this of an agent, when it has read the files. */
const fromFiles: {
  /** A project defines it or adds to its arguments: it never runs without a sandbox. */
  readonly fromProject?: true;
} = {};

/** `~` stands for `userDir`. */
export const agentEntry = (userDir: string) =>
  z
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
        command: commandLine
          .optional()
          .describe(
            'The command line of a custom agent, in which {prompt}, {prompt_file}, {workspace}, {home}, {model}, {session}, {gateway_url} and {gateway_key} are filled in. Default: its args.',
          ),
        resume_command: commandLine
          .optional()
          .describe(
            'The command line with which a custom agent continues the conversation {session}. Default: none, each attempt is told everything in a new one.',
          ),
        files: AgentFiles.prefault({}).describe(
          'Files that a custom agent finds in its home, in which {gateway_url}, {gateway_key}, {model}, {workspace} and {home} are filled in. Default: none.',
        ),
        output: AgentOutput.optional().describe(
          'How a custom agent tells what it did. Default: as text.',
        ),
        model: text(1, 200, 'text of 1 to 200 characters')
          .optional()
          .describe("The model to ask for. Default: the program's own choice."),
        config_dir: machinePath(userDir)
          .optional()
          .describe(
            "The directory of the program's own settings and login; inside a sandbox its instructions and login alone. Default: where it looks itself.",
          ),
        env: environment
          .prefault({})
          .describe('Environment variables for this agent only. Default: none.'),
      },
      KEYS,
    )
    .superRefine((entry, context) => {
      const fault = customAgentFault(entry);
      if (fault !== undefined)
        context.addIssue({ code: 'custom', path: fault.path, message: fault.expected });
    })
    .transform(
      ({
        id,
        cli,
        args,
        flags,
        command,
        resume_command: resumeCommand,
        files,
        output,
        model,
        config_dir: configDir,
        env,
      }) => ({
        ...fromFiles,
        id: id as AgentId,
        cli,
        args: [...args, ...(shellWords(flags ?? '') ?? [])],
        model: model ?? null,
        configDir: configDir ?? null,
        env,
        command: command ?? null,
        output: output ?? null,
        ...defined({ resumeCommand, files: Object.keys(files).length === 0 ? undefined : files }),
      }),
    );
export type AgentSettings = Immutable<z.output<ReturnType<typeof agentEntry>>>;

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
        .refine((source) => compileRegex(source).kind === 'pattern', {
          error: (issue) => {
            const read = compileRegex(String(issue.input));
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
  })
  .transform(({ cli, pattern, exit_codes: exitCodes, ...rule }) => ({
    ...rule,
    cli: cli ?? null,
    pattern: pattern ?? null,
    exitCodes,
  }));
export type RuleSettings = Immutable<z.output<typeof ClassifyRule>>;

export const Classify = z.strictObject(
  {
    rules: z
      .array(ClassifyRule, { error: 'a list of rules' })
      .max(100, { error: 'a list of up to 100 rules' })
      .prefault([])
      .describe('Rules of your own, which count before the built-in ones. Default: none.'),
  },
  KEYS,
);
