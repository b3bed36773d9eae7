import type { Command } from 'commander';
import { diagnose } from '../../doctor/diagnose.ts';
import { probeMachine } from '../../doctor/probe-machine.ts';
import { checkOwnerState } from '../../doctor/check-owner-state.ts';
import { renderDiagnosis } from '../../doctor/render-diagnosis.ts';
import type { CliContext } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';
import { hostFacts } from '../host-facts.ts';
import { stateHome } from '../connect-owner.ts';

/** Needs no owner: it must work where nothing else does. */
export function addDoctor(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('doctor')
    .description('Show what this machine has and lacks, and how to get what is missing')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExit code: 0 when supervisor can run here, 1 when it can not.')
    .action(async ({ json }: { json: boolean }) => {
      const { terminal } = context;
      const machine = hostFacts(context);
      const facts = await probeMachine({
        ...machine,
        tryHold: () => checkOwnerState(machine, machine),
        journal: stateHome(context).journal,
      });
      const diagnosis = diagnose(facts);
      context.out(
        json ? `${JSON.stringify(diagnosis, null, 2)}\n` : renderDiagnosis(diagnosis, terminal),
      );
      finish(diagnosis.verdict.canRun ? 0 : 1);
    });
}
