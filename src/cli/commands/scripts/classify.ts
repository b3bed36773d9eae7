import { constants } from 'node:os';
import { Option } from 'commander';
import type { Command } from 'commander';
import { userHomeFolder } from '../../../host/machine/account-home.ts';
import type { ProcessExit } from '../../../adapters/adapter.ts';
import { describeExit } from '../../../adapters/conclude.ts';
import {
  classifyTranscript,
  exitFrom,
  readContainerState,
} from '../../../failures/classify-transcript.ts';
import { failureOf } from '../../../failures/failure.ts';
import { userRules } from '../../../failures/rules/user-rules.ts';
import { Refusal } from '../../../base/errors.ts';
import { loadSettings } from '../../../config/load-settings.ts';
import { readTextFile } from '../../../host/files/read-text-file.ts';
import { AGENT_CLIS } from '../../../settings/agent-config.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { stateHome } from '../../connect-owner.ts';
import type { ClassifyDocument } from '../../../public-json/project-documents.ts';
import { readGivenFile } from '../../input/read-given-file.ts';
import { printJson } from '../../json/print-json.ts';
import type { AttemptOutcome, EvidenceLine } from '../../../protocol/contracts/attempt-contract.ts';

type Options = {
  readonly cli: string;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly state?: string;
  readonly stoppedBy: 'user' | 'deadline' | 'none';
  readonly json: boolean;
};

const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

/** Needs no owner: it only shows how Supervisor would classify an attempt. */
export function addClassify(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('classify')
    .description('Show how Supervisor classifies the end of an agent, from its exit and output')
    .addOption(new Option('--cli <cli>', 'the agent CLI').choices(AGENT_CLIS).makeOptionMandatory())
    .option('--exit-code <n>', 'its exit code', exitCode)
    .option('--signal <name>', 'the signal that killed it, such as SIGKILL', signalName)
    .option('--stdout <file>', 'a file with its standard output')
    .option('--stderr <file>', 'a file with its standard error')
    .option('--state <file>', 'the state of its container, as docker inspect prints it')
    .addOption(
      new Option('--stopped-by <who>', 'what stopped it')
        .choices(['user', 'deadline', 'none'])
        .default('none'),
    )
    .option('--json', 'print JSON', false)
    .action(async (options: Options) => {
      const exit = readExit(options);
      const found = toJson(await classifyFiles(options, exit, context), exit);
      if (options.json) printJson(context, found);
      else context.out(formatJson(context, found));
      finish(0);
    });
}

async function classifyFiles(
  options: Options,
  exit: ProcessExit,
  context: CliContext,
): Promise<AttemptOutcome> {
  // Only the user's own rules count: no project may change how an agent's end is classified.
  const { settings } = await loadSettings({
    home: stateHome(context).dir,
    userDir: userHomeFolder(),
    readFile: readTextFile,
  });
  const [stdout, stderr, state] = await Promise.all(
    [options.stdout, options.stderr, options.state].map(async (path) =>
      path === undefined ? null : readGivenFile(context.cwd, path, GIVEN),
    ),
  );
  const container = state === null || state === undefined ? null : readContainerState(state);
  if (container === undefined)
    throw usageError(`${options.state ?? ''} does not contain the state of a container.`);
  const found = classifyTranscript({
    cli: options.cli,
    exit,
    stoppedBy: options.stoppedBy === 'none' ? null : options.stoppedBy,
    now: context.clock.now(),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    rules: userRules(settings.classify.rules, options.cli),
    stdout: stdout ?? null,
    stderr: stderr ?? null,
    container,
  });
  if (found === undefined) throw usageError(`Unknown agent CLI: ${options.cli}.`);
  return found;
}

const GIVEN = { bytesMax: OUTPUT_BYTES_MAX, hint: 'Name the file with the recorded text.' };

function readExit({ exitCode: code, signal }: Options): ProcessExit {
  if (code === undefined && signal === undefined)
    throw usageError('Pass --exit-code or --signal, to say how the agent ended.');
  // Some tools write death by a signal as a negative exit code.
  if (code !== undefined && code < 0) return exitFrom(null, signalName(String(-code)) ?? null);
  return exitFrom(code ?? null, signal ?? null);
}

function exitCode(text: string): number | undefined {
  if (NOTHING.test(text)) return undefined;
  if (!/^-?\d{1,3}$/.test(text) || Number(text) > 255)
    throw usageError(`Invalid exit code: ${text}.`);
  return Number(text);
}

const NOTHING = /^(?:none|null)?$/i;

function signalName(text: string): string | undefined {
  if (NOTHING.test(text)) return undefined;
  const numbered = Object.entries(constants.signals).find(([, number]) => String(number) === text);
  const name = numbered?.[0] ?? text.toUpperCase().replace(/^(?:SIG)?/, 'SIG');
  if (!Object.hasOwn(constants.signals, name))
    throw usageError(`Unknown signal: ${text}. Use a name such as SIGKILL or KILL.`);
  return name;
}

function usageError(message: string): Refusal {
  return new Refusal({ code: 'usage.invalid', message });
}

function toJson(outcome: AttemptOutcome, exit: ProcessExit): ClassifyDocument {
  const schema = 'supervisor.classify/1';
  const none = {
    schema,
    type: null,
    category: null,
    recovery: null,
    reason: null,
    reset_at: null,
  } as const;
  switch (outcome.kind) {
    case 'completed': {
      const evidence: EvidenceLine = { source: 'exit', line: describeExit(exit), rule: 'done' };
      return { outcome: 'completed', ...none, evidence: [evidence] };
    }
    case 'stopped': {
      const line = 'stopped by the user';
      const evidence: EvidenceLine = { source: 'user', line, rule: 'user-stop' };
      return { outcome: 'stopped', ...none, reason: 'stopped', evidence: [evidence] };
    }
    case 'failed': {
      const { type, category, recovery, reason, resetAt, evidence } = failureOf(outcome);
      return {
        schema,
        outcome: 'failed',
        type,
        category,
        recovery,
        reason,
        reset_at: resetAt === null ? null : new Date(resetAt).toISOString(),
        evidence: [...evidence],
      };
    }
  }
}

function formatJson(context: CliContext, found: ClassifyDocument): string {
  const { outcome, type, category, recovery, reason, reset_at: reset, evidence } = found;
  const colour = outcome === 'failed' ? 'red' : outcome === 'stopped' ? 'yellow' : 'green';
  const head = [paint(context, colour, outcome), reason ?? '']
    .filter((word) => word !== '')
    .join(' ');
  const kind = type === null ? '' : paint(context, 'dim', ` ${type}, ${category}, ${recovery}`);
  const until = reset === null ? '' : `${paint(context, 'dim', 'resets')} ${reset}\n`;
  const lines = evidence.map(
    ({ source, line, rule }) =>
      `${paint(context, 'dim', source)} ${printable(line)} ${paint(context, 'dim', rule)}\n`,
  );
  return `${head}${kind}\n${until}${lines.join('')}`;
}
