/** Lets a real CLI do healthy work while every detector may speak, and says what was found. */
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { mainRequests } from '../support/steered-run.ts';
import type { CliName } from './clis.ts';
import type { HealthyWork } from './healthy-work.ts';
import { CONTEXT_MAX, worksWell } from './healthy-work.ts';
import { notesOf, resultOf, SECRET } from './sandboxed-harness.ts';
import { harnessFor, MODELS } from './sandboxed-clis.ts';

export type HealthyRun = {
  /** What the detectors found, with its words. */
  readonly found: readonly string[];
  readonly summary: unknown;
  readonly turns: number;
};

export async function healthyRun(cli: CliName, work: HealthyWork): Promise<HealthyRun> {
  const { faults = [] } = work;
  const script = worksWell(cli, work);
  await using server = await ModelServer.start({ keys: [SECRET], script, faults });
  const model = MODELS[cli] ?? 'claude-sonnet-4-5';
  const prices = [{ model, input: 0, output: 0, context_max: CONTEXT_MAX, output_max: 8000 }];
  await using at = await harnessFor([cli], server.url, {
    config: {
      agents: [{ id: cli, cli, model }],
      gateway: { prices },
      steering: { mode: 'steer', held_out: 0, check_turns: 1, cooldown_turns: 1 },
    },
  });
  const facts = await at.factsOf(await at.submit(cli));
  return {
    found: notesOf(facts, 'anomaly').map(
      ({ turn, detector, words }) => `${String(turn)} ${String(detector)}: ${String(words)}`,
    ),
    // An attempt that failed has none. Then its whole result says why.
    summary: resultOf(facts)['summary'] ?? resultOf(facts),
    turns: mainRequests(server).length,
  };
}
