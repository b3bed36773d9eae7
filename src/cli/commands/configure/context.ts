import type { Command } from 'commander';
import { userHomeFolder } from '../../../host/machine/account-home.ts';
import { roleClis } from '../../../attempts/choice/role-agents.ts';
import { prepareBrief } from '../../../brief/prepare-brief.ts';
import type { PreparedBrief } from '../../../brief/prepare-brief.ts';
import { sandboxedCommand } from '../../../brief/sandboxed-command.ts';
import { loadSettings } from '../../../config/load-settings.ts';
import { ContextCache } from '../../../context/context-cache.ts';
import { explainPack } from '../../../context/explain-pack.ts';
import { readTextFile } from '../../../host/files/read-text-file.ts';
import { Redactor } from '../../../redaction/redactor.ts';
import { findSecretsIn } from '../../../redaction/find-secrets.ts';
import { chooseBackend } from '../../../sandbox/choose-backend.ts';
import { openTrusted, UNTRUSTED_OPTION } from '../../ask/ask-trust.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import { insideProject, PROJECT_OPTION, projectDir } from '../../input/project-path.ts';
import type { CommandEnding } from '../../command-line.ts';
import { stateHome } from '../../connect-owner.ts';
import type { JsonDocument } from '../../../public-json/documents.ts';
import { printJson } from '../../json/print-json.ts';
import { sandboxPorts } from '../../sandbox-ports.ts';
import { collect } from '../../options.ts';

type Options = {
  readonly project?: string;
  readonly target: readonly string[];
  readonly task?: string;
  readonly agent?: string;
  readonly prompt: boolean;
  readonly explain: boolean;
  readonly untrusted: boolean;
  readonly json: boolean;
};

/** Needs no owner and starts no agent: it only shows what an agent would receive. */
export function addContext(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('context')
    .description('Show the files of the project that a role sees for a task')
    .argument('<role>', 'the role')
    .option('-t, --target <file>', 'a file, folder or pattern to work on; repeatable', collect, [])
    .option('--task <text>', 'the task, which uses part of the token budget')
    .option('-a, --agent <id>', "use this agent instead of the role's agent")
    .option(...PROJECT_OPTION)
    .option('--prompt', 'print the whole prompt, not only the context', false)
    .option(
      '--explain',
      'print what is included, how many tokens it takes, and what is left out and why',
      false,
    )
    .option(...UNTRUSTED_OPTION)
    .option('--json', 'print JSON', false)
    .action(async (role: string, options: Options) => {
      const project = projectDir(context, options.project);
      const home = stateHome(context).dir;
      const trusted = await openTrusted(context, project, options);
      const loading = { home, project: trusted, userDir: userHomeFolder(), readFile: readTextFile };
      const { settings } = await loadSettings(loading);
      const agentEnvs = settings.agents.map((agent) => agent.env);
      const redactor = new Redactor(findSecretsIn(context.env, ...agentEnvs));
      const ports = sandboxPorts(context);
      const named = options.agent === undefined ? {} : { agent: options.agent };
      const brief = await prepareBrief({
        home,
        project: trusted,
        role,
        task: options.task ?? '',
        targets: options.target.map((target) => insideProject(context, project, target)),
        clisOf: ({ cli }) => roleClis(cli, named, settings),
        redact: (text) => redactor.redact(text),
        cache: new ContextCache(),
        runCommand: sandboxedCommand({
          project,
          sandbox: settings.sandbox,
          choose: (request) => chooseBackend(request, ports),
          ports,
          id: `context/${context.pid}`,
          tag: `${ports.tag}/context`,
        }),
      });
      if (options.json) printJson(context, report(brief));
      else if (options.explain) explain(context, brief);
      else context.out(options.prompt ? brief.prompt : brief.packed.text, 'verbatim');
      finish(0);
    });
}

function report({ role, targets, packed, prompt }: PreparedBrief): JsonDocument<'context'> {
  const { text, tokens, frameTokens, budget, usable, tokenizer, margin } = packed;
  const left = packed.leftOut.map(({ part, name, why }) => ({ part, name, reason: why }));
  const dropped = packed.dropped.map(({ part, name, why }) => ({ part, name, reason: why }));
  return {
    schema: 'supervisor.context/1',
    role: role.name,
    targets: [...targets],
    text,
    prompt,
    tokens,
    frame_tokens: frameTokens,
    budget,
    usable_tokens: usable,
    tokenizer,
    margin,
    parts: explainPack(packed).map(({ pieces, ...part }) => ({ ...part, pieces: [...pieces] })),
    dropped,
    left_out: left,
  };
}

function explain(context: CliContext, { role, packed, clis }: PreparedBrief): void {
  const { tokens, usable, budget, tokenizer, margin, frameTokens, dropped, leftOut } = packed;
  const dim = (text: string): string => paint(context, 'dim', text);
  context.out(
    `${paint(context, 'bold', role.name)}: ${tokens} of ${usable} usable tokens ${dim(`(budget ${budget}, counted by ${tokenizer} with a ${Math.round(margin * 100)} % margin for ${clis.length === 0 ? 'any agent' : clis.join(', ')})`)}\n`,
  );
  context.out(
    `${paint(context, 'cyan', 'prompt')} ${dim('without context')}\n${row('role, task, rules and answer', frameTokens)}`,
  );
  for (const { part, pieces } of explainPack(packed)) {
    context.out(`${paint(context, 'cyan', part)}\n`);
    for (const piece of pieces) context.out(row(piece.name, piece.tokens));
  }
  section(
    context,
    'dropped',
    dropped.map(({ part, name, why }) => `${part}  ${name}  ${why}`),
  );
  section(
    context,
    'left out',
    leftOut.map(({ name, why }) => `${name}  ${why}`),
  );
}

function row(name: string, count: number): string {
  return `  ${String(count).padStart(7)}  ${printable(name)}\n`;
}

const LINES_MAX = 50;

function section(context: CliContext, title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  context.out(`${paint(context, 'yellow', title)}\n`);
  for (const line of lines.slice(0, LINES_MAX)) context.out(`  ${printable(line)}\n`);
  if (lines.length > LINES_MAX)
    context.out(`  and ${lines.length - LINES_MAX} more; list them with --json\n`);
}
