/** Each real CLI is steered while its model goes wrong in ways that only its role, or an earlier failure, shows. */
import { describe, test } from 'node:test';
import type { CliName } from './clis.ts';
import type { Trouble } from './going-wrong.ts';
import {
  COMPLETION_STALL,
  CONTINGENT,
  FALSE_RECOVERY,
  FLAPPING,
  LOOP,
  TOOL_ADVICE,
} from './going-wrong.ts';
import { CLIS, isMissing } from './sandboxed-clis.ts';
import { goesWrongAndRecovers } from './steer-wrong-cli.ts';

const TIMEOUT_MS = 240_000;
const OF_ALL = [LOOP, TOOL_ADVICE, FALSE_RECOVERY, COMPLETION_STALL, CONTINGENT];
/** Copilot CLI compacts its context itself at 80 %. */
const TROUBLES: Readonly<Record<CliName, readonly Trouble[]>> = {
  claude: [...OF_ALL, FLAPPING],
  codex: [...OF_ALL, FLAPPING],
  gemini: [...OF_ALL, FLAPPING],
  copilot: OF_ALL,
  opencode: [...OF_ALL, FLAPPING],
};
/** Each detector speaks once, so that one does not speak about the first part of what another is to find. */
const ONCE = { cooldown_turns: 100, detectors: { context: { mode: 'off' } } };

describe(
  'a real CLI with a role whose model goes wrong',
  { timeout: CLIS.length * TIMEOUT_MS },
  () => {
    for (const cli of CLIS)
      test(
        `${cli} is told about each trouble in its next main request, once`,
        { timeout: TIMEOUT_MS },
        async (t) => {
          if (isMissing(t, cli)) return;
          const troubles = TROUBLES[cli];
          const given = { troubles, steering: ONCE, organization: 'active' } as const;
          await goesWrongAndRecovers(t, cli, given);
        },
      );
  },
);
