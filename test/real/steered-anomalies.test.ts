/**
 * Each real CLI is steered while its model goes wrong. What was found is in the next main request of its own
 * conversation, once. The beginning of the conversation never changes, and a model that obeys recovers.
 */
import { describe, test } from 'node:test';
import type { CliName } from './clis.ts';
import type { Trouble } from './going-wrong.ts';
import { CASCADE, fullContext, LOOP, OSCILLATION, STAGNATION, STALL } from './going-wrong.ts';
import { CLIS, isMissing } from './sandboxed-clis.ts';
import { goesWrongAndRecovers } from './steer-wrong-cli.ts';

const TIMEOUT_MS = 240_000;
const FULL = [fullContext(0.8, 0), fullContext(0.9, 1)];
/** Copilot CLI compacts its context itself at 80 %. */
const TROUBLES: Readonly<Record<CliName, readonly Trouble[]>> = {
  claude: [LOOP, OSCILLATION, CASCADE, STAGNATION, STALL, ...FULL],
  codex: [LOOP, OSCILLATION, CASCADE, STAGNATION, STALL, ...FULL],
  gemini: [LOOP, OSCILLATION, CASCADE, STAGNATION, STALL, ...FULL],
  copilot: [LOOP, OSCILLATION, CASCADE, STAGNATION, STALL],
  opencode: [LOOP, OSCILLATION, CASCADE, STAGNATION, STALL, ...FULL],
};
/** It would speak about the first three of the calls that fail in turn. */
const WITHOUT_ADVICE = { detectors: { 'tool-advice': { mode: 'off' } } };

describe('a real CLI whose model goes wrong', { timeout: CLIS.length * TIMEOUT_MS }, () => {
  for (const cli of CLIS)
    test(
      `${cli} is told in its next main request, once, and recovers each time`,
      { timeout: TIMEOUT_MS },
      async (t) => {
        if (isMissing(t, cli)) return;
        const troubles = TROUBLES[cli];
        await goesWrongAndRecovers(t, cli, { troubles, steering: WITHOUT_ADVICE });
      },
    );
});
