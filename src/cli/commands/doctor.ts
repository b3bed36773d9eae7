import type { Command } from 'commander';
import { diagnose } from '../../doctor/diagnose.ts';
import { probeMachine } from '../../doctor/probe-machine.ts';
import { trySandbox } from '../../doctor/try-sandbox.ts';
import { renderDiagnosis } from '../../doctor/render-diagnosis.ts';
import type { CliContext } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';
import { hostFacts } from '../host-facts.ts';
import { stateHome } from '../connect-owner.ts';

/** Needs no owner, because it has to work when everything else fails. */
export function addDoctor(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('doctor')
    .description('Check this machine: what is installed, what is missing, and how to install it')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExit codes: 0 if Supervisor can run here, 1 if it cannot.')
    .action(async ({ json }: { json: boolean }) => {
      const { terminal } = context;
      const machine = hostFacts(context);
      const facts = await probeMachine({
        ...machine,
        trySandbox: () => trySandbox(machine, machine),
        journal: stateHome(context).journal,
      });
      const diagnosis = diagnose(facts);
      context.out(
        json ? `${JSON.stringify(diagnosis, null, 2)}\n` : renderDiagnosis(diagnosis, terminal),
      );
      finish(diagnosis.verdict.canRun ? 0 : 1);
    });
}
