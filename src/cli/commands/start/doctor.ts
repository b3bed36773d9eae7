import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { Refusal } from '../../../base/errors.ts';
import { findOwner } from '../../../client/connect.ts';
import { loadSettings } from '../../../config/load-settings.ts';
import { refuseUnparsable } from '../../../config/refuse-unparsable.ts';
import { chooseFixes } from '../../../doctor/choose-fixes.ts';
import { diagnose } from '../../../doctor/diagnose.ts';
import { probeMachine } from '../../../doctor/probe-machine.ts';
import { trySandbox } from '../../../doctor/try-sandbox.ts';
import { renderDiagnosis } from '../../../doctor/render-diagnosis.ts';
import type { BreakerView } from '../../../protocol/breaker.ts';
import type { Diagnosis } from '../../../protocol/views/diagnosis.ts';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { hostFacts } from '../../host-facts.ts';
import { doctorDocument } from '../../../public-json/machine-documents.ts';
import { printJson } from '../../json/print-json.ts';
import { offerFixes, requireTerminal } from '../../ask/offer-fixes.ts';
import { stateHome } from '../../connect-owner.ts';
import { readTextFile } from '../../../host/files/read-text-file.ts';
import { userHomeFolder } from '../../../host/machine/account-home.ts';
import { readTrustState } from '../../../trust/trusted-project.ts';
import { declaredAgents } from '../../input/declared-agents.ts';
import { currentProject } from '../../input/project-path.ts';

type Options = { readonly fix: boolean; readonly json: boolean };

/** Needs no owner, because it has to work when everything else fails. */
export function addDoctor(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('doctor')
    .description('Check this machine: what is installed, what is missing, and how to install it')
    .option('--fix', 'offer the commands one by one; each runs only after your yes', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExit codes: 0 if Supervisor can run here, 1 if it cannot.')
    .action(async ({ fix, json }: Options) => {
      if (fix) requireTerminal(context, json);
      let diagnosis = await examine(context);
      const show = (): void => {
        if (json) printJson(context, doctorDocument(diagnosis));
        else context.out(renderDiagnosis(diagnosis, context.terminal));
      };
      show();
      if (fix) {
        const fixes = chooseFixes(diagnosis);
        if (fixes.length === 0) context.out('\nNothing to fix.\n');
        if (await offerFixes(context, fixes)) {
          diagnosis = await examine(context);
          context.out('\n');
          show();
        }
      }
      finish(diagnosis.verdict.canRun ? 0 : 1);
    });
}

async function examine(context: CliContext): Promise<Diagnosis> {
  const machine = hostFacts(context);
  const settingsProblem = await findSettingsProblem(context);
  const project = currentProject(context);
  const facts = await probeMachine({
    ...machine,
    project,
    declared: settingsProblem === undefined ? await declaredAgents(context, project) : [],
    trySandbox: () => trySandbox(machine, machine),
    home: stateHome(context),
  });
  const openBreakers = await findOpenBreakers(context);
  return diagnose({ ...facts, openBreakers, ...defined({ settingsProblem }) });
}

const OWNER_MS_MAX = 2000;

/** Asks an owner that runs already. One that does not answer keeps no other finding from being shown. */
async function findOpenBreakers(context: CliContext): Promise<readonly BreakerView[]> {
  try {
    const owner = await findOwner(stateHome(context), OWNER_MS_MAX);
    const all = (await owner?.client.machine.breakers()) ?? [];
    return all.filter(({ state }) => state !== 'closed');
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

/** The files are only read: doctor needs no trust. */
async function findSettingsProblem(context: CliContext): Promise<string | undefined> {
  const home = stateHome(context).dir;
  try {
    await loadSettings({ home, userDir: userHomeFolder(), readFile: readTextFile });
    const state = await readTrustState({ home, project: currentProject(context) });
    if (state.kind !== 'none') refuseUnparsable(state.project, state.folder);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.data.message, error.data.hint].filter(Boolean).join(' ');
  }
}
