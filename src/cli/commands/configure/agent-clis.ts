import type { Command } from 'commander';
import { adapterFor } from '../../../adapters/adapters.ts';
import { Refusal } from '../../../base/errors.ts';
import { CANARIES, findDrift } from '../../../doctor/canary.ts';
import { diagnose } from '../../../doctor/diagnose.ts';
import { probeMachine } from '../../../doctor/probe-machine.ts';
import { which } from '../../../host/process/which.ts';
import type { Finding } from '../../../protocol/views/diagnosis.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { declaredAgents } from '../../input/declared-agents.ts';
import { currentProject } from '../../input/project-path.ts';
import { hostFacts } from '../../host-facts.ts';
import { agentClisDocument, agentsCheckDocument } from '../../../public-json/machine-documents.ts';
import { printJson } from '../../json/print-json.ts';
import { runCanary } from '../../runs/run-canary.ts';

/** Needs no owner. */
export function addAgents(program: Command, context: CliContext, finish: CommandEnding): void {
  const agents = program
    .command('agents')
    .description(
      'Show the agent CLIs and your own agents, and check that Supervisor supports their versions',
    );
  agents
    .command('list', { isDefault: true })
    .description(
      'List each CLI with its version and login, and each agent that your settings declare',
    )
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => {
      const found = await findAgents(context);
      if (json) printJson(context, agentClisDocument(found));
      else context.out(found.map((one) => line(context, one, idWidth(found))).join(''));
      finish(0);
    });
  agents
    .command('check')
    .description('Run each installed CLI on a small task with a fake model. Costs no tokens.')
    .argument('[cli...]', 'the CLIs to check (default: all that are installed)')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExit codes: 0 if every CLI behaves as expected, 1 if one does not.')
    .action(async (wanted: readonly string[], { json }: { json: boolean }) => {
      const checks = await check(wanted, context, json ? () => undefined : context.out);
      if (json) printJson(context, agentsCheckDocument(checks));
      finish(checks.every(({ drift }) => drift.length === 0) ? 0 : 1);
    });
}

type Check = { readonly cli: string; readonly drift: readonly string[] };

async function check(
  wanted: readonly string[],
  context: CliContext,
  print: (text: string) => void,
): Promise<readonly Check[]> {
  const known = Object.keys(CANARIES);
  const unknown = wanted.find((cli) => !known.includes(cli));
  if (unknown !== undefined)
    throw new Refusal({
      code: 'usage.invalid',
      message: `Unknown agent CLI: ${unknown}.`,
      hint: `Use one of: ${known.join(', ')}`,
    });
  const checks: Check[] = [];
  for (const [cli, canary] of Object.entries(CANARIES)) {
    const program = which(cli, context.env);
    const adapter = adapterFor({ cli });
    if (adapter === undefined || (wanted.length > 0 && !wanted.includes(cli))) continue;
    if (program === undefined) {
      if (wanted.includes(cli)) checks.push({ cli, drift: ['not installed'] });
      continue;
    }
    const seen = await runCanary(adapter, canary, program, context);
    checks.push({ cli, drift: 'why' in seen ? [seen.why] : findDrift(canary, seen) });
  }
  for (const { cli, drift } of checks) {
    const mark =
      drift.length === 0 ? paint(context, 'green', 'ok') : paint(context, 'red', 'drift');
    print(`${cli.padEnd(10)} ${mark} ${printable(drift.join('; '))}\n`);
  }
  if (checks.length === 0)
    print('No agent CLI is installed. To see how to install one: supervisor doctor\n');
  return checks;
}

async function findAgents(context: CliContext): Promise<readonly Finding[]> {
  const project = currentProject(context);
  const declared = await declaredAgents(context, project);
  const facts = await probeMachine({ ...hostFacts(context), project, declared });
  return diagnose(facts).findings.filter(({ section }) => section === 'agents');
}

const ID_WIDTH_MIN = 10;

function idWidth(found: readonly Finding[]): number {
  return Math.max(ID_WIDTH_MIN, ...found.map(({ id }) => id.length));
}

const COLOURS = { ok: 'green', missing: 'dim', limited: 'yellow', broken: 'red' } as const;

/** The command stands below, so that it can be copied. */
function line(
  context: CliContext,
  { id, state, found, note, get }: Finding,
  width: number,
): string {
  const text = [found, note].filter((part) => part !== null).join(' · ') || 'not installed';
  const verb = state === 'missing' ? 'install' : 'fix';
  const remedy =
    get === null ? '' : `${paint(context, 'dim', `    ${verb}: ${get.join(' && ')}`)}\n`;
  return `${id.padEnd(width)} ${paint(context, COLOURS[state], state.padEnd(8))} ${printable(text)}\n${remedy}`;
}
