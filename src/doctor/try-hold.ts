import type { Clock } from '../base/clock.ts';
import { newRunId } from '../base/ids.ts';
import type { Luck } from '../base/luck.ts';
import { whyItFails } from '../sandbox/choose-backend.ts';
import { probeFacts } from '../sandbox/probe-facts.ts';
import { CANARY_PROBES, holds, runProbes } from '../sandbox/probes/run-probes.ts';
import type { Environment } from './agent-clis.ts';
import type { HoldTrial } from './facts.ts';

/** Puts a canary into bubblewrap, as it is done before anything is run in it, and says whether it was held. */
export async function tryHold(
  ports: { readonly clock: Clock; readonly luck: Luck; readonly env: Environment },
  precious: { readonly userDir: string; readonly stateDir: string },
): Promise<HoldTrial> {
  const { clock, luck, env } = ports;
  const facts = probeFacts(env);
  const tag = `doctor/${newRunId(luck)}`;
  const report = await runProbes(
    CANARY_PROBES,
    { clock, luck, facts, backend: 'bubblewrap', precious },
    { tag },
  );
  const loose = Object.entries(report.enforced ?? {}).filter(([, how]) => how === 'none');
  return { why: holds(report) ? null : whyItFails(report), loose: loose.map(([what]) => what) };
}
