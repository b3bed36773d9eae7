import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BreakerView } from '../../protocol/breaker.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { breakerLines } from './breaker-lines.ts';

const WORKFLOW = { name: 'mvp', current: 'implement', steps: [] };
const RUN = { project: '/shop', workflow: WORKFLOW, endedAt: null };
const OPEN: BreakerView = {
  ...{ project: '/shop', workflow: 'mvp', step: 'implement', state: 'open', failures: 5 },
  ...{ lastFailedAt: 1000, until: 61_000, probe: null, reason: 'no\nJSON' },
};
const HALF: BreakerView = { ...OPEN, state: 'half-open', until: null, probe: 'a000000000' };

describe('the breakers of a run that status shows', () => {
  const cases: [
    why: string,
    run: Pick<RunView, 'project' | 'workflow' | 'endedAt'>,
    breakers: readonly BreakerView[],
    texts: readonly string[],
  ][] = [
    [
      'are the open ones',
      RUN,
      [OPEN],
      ['implement: open for 1m00s after 5 failures; last: no JSON'],
    ],
    [
      'are also those that one run may try',
      RUN,
      [HALF],
      ['implement: half-open after 5 failures, tried by run a000000000; last: no JSON'],
    ],
    ['are not the closed ones', RUN, [{ ...OPEN, state: 'closed', until: null }], []],
    ['are not those of another workflow', RUN, [{ ...OPEN, workflow: 'own' }], []],
    ['are not those of another project', RUN, [{ ...OPEN, project: '/other' }], []],
    ['are none if the run has ended', { ...RUN, endedAt: 1 }, [OPEN], []],
    ['are none if the run is no workflow', { ...RUN, workflow: null }, [OPEN], []],
  ];
  for (const [why, run, breakers, texts] of cases)
    test(why, () =>
      assert.deepEqual(
        breakerLines(run, breakers, 1000).map(([, text]) => text),
        texts,
      ),
    );
});
