import type { Clock } from '../base/clock.ts';
import { newRunId } from '../base/ids.ts';
import type { Random } from '../base/random.ts';
import { describeBackendFailure } from '../sandbox/choose-backend.ts';
import { probeFacts } from '../sandbox/probe-facts.ts';
import { CANARY_PROBES, didHold, runProbes } from '../sandbox/probes/run-probes.ts';
import type { CliEnvironment } from './supported-clis.ts';
import type { SandboxTrial } from './machine-facts.ts';

/** Runs the canary probes in bubblewrap, as before every use of a sandbox, and reports whether they passed. */
export async function trySandbox(
  ports: { readonly clock: Clock; readonly random: Random; readonly env: CliEnvironment },
  protectedPaths: { readonly userDir: string; readonly stateDir: string },
): Promise<SandboxTrial> {
  const { clock, random, env } = ports;
  const facts = probeFacts(env);
  const tag = `doctor/${newRunId(random)}`;
  const report = await runProbes(
    CANARY_PROBES,
    { clock, random, facts, backend: 'bubblewrap', protectedPaths },
    { tag },
  );
  const loose = Object.entries(report.enforced ?? {}).filter(([, how]) => how === 'none');
  return {
    why: didHold(report) ? null : describeBackendFailure(report),
    loose: loose.map(([what]) => what),
  };
}
