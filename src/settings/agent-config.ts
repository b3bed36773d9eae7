/** Schema of `agents` and `classify`: the agents, and how the end of an attempt is classified. */
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

const agentIdError = 'a name of up to 64 letters, digits and _ . : - that starts with a letter';
export const agentId = matching(/^[a-zA-Z][a-zA-Z0-9_.:-]{0,63}$/, agentIdError);
const cliError = `one of ${AGENT_CLIS.join(', ')}`;
const environment = z.record(
  matching(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'the name of an environment variable'),
  text(0, 32_768, 'text of up to 32768 characters (quote it if it looks like a number)'),
  KEYS,
);

/** The loader of the files sets these, never a file. */
const fromFiles: {
  /** A project defines this agent or adds to its arguments, so it never runs without a sandbox. */
  readonly fromProject?: true;
} = {};

/** `~` stands for `userDir`. */
export const agentEntry = (userDir: string) =>
  z
    .strictObject(
      {
        id: agentId.describe('The id of this agent, unique among all files; required.'),
        cli: z
          .enum(AGENT_CLIS, { error: cliError })
          .describe('The CLI of this agent; required. For a custom agent, set command.'),
        args: z
          .array(argument, { error: 'a list of texts' })
          .max(100, { error: 'a list of up to 100 texts' })
          .prefault([])
          .describe(
            'Additional arguments. For a custom agent without command, the whole command line. Default: none.',
          ),
        flags: text(0, 8192, argumentError)
          .refine((line) => shellWords(line) !== undefined, {
            error: 'a line in which every quote is closed',
          })
          .optional()
          .describe('Additional arguments in one line, split as in a shell. Default: none.'),
        command: commandLine
          .optional()
          .describe(
            'The command line of a custom agent. Placeholders: {prompt}, {prompt_file}, {workspace}, {home}, {model}, {session}, {gateway_url} and {gateway_key}. Default: args.',
          ),
        resume_command: commandLine
          .optional()
          .describe(
            'The command line that resumes the conversation {session} of a custom agent. Default: none, each attempt starts a new conversation.',
          ),
        files: AgentFiles.prefault({}).describe(
          'Files in the home of a custom agent. Placeholders: {gateway_url}, {gateway_key}, {model}, {workspace} and {home}. Default: none.',
        ),
        output: AgentOutput.optional().describe(
          'The output format of a custom agent. Default: text.',
        ),
        model: text(1, 200, 'text of 1 to 200 characters')
          .optional()
          .describe("The model to use. Default: the CLI's own choice."),
        config_dir: machinePath(userDir)
          .optional()
          .describe(
            "The folder with the CLI's own settings and login. In a sandbox, only its instructions and login are used. Default: the CLI's own default.",
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

const ruleError = 'a name of up to 64 letters, digits and - that starts with a letter';

const ClassifyRule = z
  .strictObject(
    {
      id: matching(/^[a-zA-Z][a-zA-Z0-9-]{0,63}$/, ruleError).describe(
        'The id of this rule in the evidence; required.',
      ),
      cli: z
        .enum(AGENT_CLIS, { error: cliError })
        .optional()
        .describe('The CLI that this rule is for. Default: all CLIs.'),
      reason: z
        .enum(FAILURE_REASONS, { error: `one of ${FAILURE_REASONS.join(', ')}` })
        .describe('The failure reason if this rule matches; required.'),
      pattern: text(1, 2000, 'a pattern of 1 to 2000 characters')
        .refine((source) => compileRegex(source).kind === 'pattern', {
          error: (issue) => {
            const read = compileRegex(String(issue.input));
            return `a pattern that can be matched in linear time (${read.kind === 'refused' ? read.why : ''})`;
          },
        })
        .optional()
        .describe('Matches the final error or one of the last lines of output. Default: none.'),
      exit_codes: z
        .array(whole(0, 255), { error: 'a list of exit codes' })
        .max(50, { error: 'a list of up to 50 exit codes' })
        .prefault([])
        .describe('Exit codes that match by themselves. Default: none.'),
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

export const Classify = z.strictObject(
  {
    rules: z
      .array(ClassifyRule, { error: 'a list of rules' })
      .max(100, { error: 'a list of up to 100 rules' })
      .prefault([])
      .describe('Your own rules. They are applied before the built-in rules. Default: none.'),
  },
  KEYS,
);
