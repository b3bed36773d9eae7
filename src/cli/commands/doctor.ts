import type { Command } from 'commander';
import { diagnose } from '../../doctor/diagnose.ts';
import { probeMachine } from '../../doctor/probe-machine.ts';
import { tryHold } from '../../doctor/try-hold.ts';
import { renderDiagnosis } from '../../doctor/render-diagnosis.ts';
import type { Face } from '../face.ts';
import type { Finish } from '../program.ts';
import { machineOf } from '../machine-of.ts';

/** Needs no owner: it must work where nothing else does. */
export function addDoctor(program: Command, face: Face, finish: Finish): void {
  program
    .command('doctor')
    .description('Show what this machine has and lacks, and how to get what is missing')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExit code: 0 when supervisor can run here, 1 when it can not.')
    .action(async ({ json }: { json: boolean }) => {
      const { terminal } = face;
      const machine = machineOf(face);
      const facts = await probeMachine({ ...machine, tryHold: () => tryHold(machine, machine) });
      const diagnosis = diagnose(facts);
      face.out(
        json
          ? `${JSON.stringify(diagnosis, null, 2)}\n`
          : renderDiagnosis(diagnosis, terminal.width, terminal.colour),
      );
      finish(diagnosis.verdict.canRun ? 0 : 1);
    });
}
