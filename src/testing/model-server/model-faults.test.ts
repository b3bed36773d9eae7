import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { FaultRule } from './model-faults.ts';
import { Faults } from './model-faults.ts';
import type { CallKind } from '../../gateway/calls/classify-call.ts';

type Call = readonly [kind: CallKind, step: number];

const main = (step = 0): Call => ['main', step];
const side: Call = ['side', 0];
const hang = { kind: 'hang' } as const;
const limit = { kind: 'rate-limit' } as const;

describe('a fault affects', () => {
  const cases: [why: string, rules: FaultRule[], calls: Call[], struck: string][] = [
    ['every call that does work', [{ fault: hang }], [main(), main(1), ['sub', 0]], 'hhh'],
    ['no side call by default', [{ fault: hang }], [side, ['count', 0], main()], '--h'],
    ['side calls if requested', [{ fault: hang, on: ['side'] }], [side, main()], 'h-'],
    ['the next two calls', [{ fault: hang, times: 2 }], [main(), main(), main()], 'hh-'],
    ['one step', [{ fault: hang, at: { step: 1 } }], [main(0), main(1), main(1), main(2)], '-hh-'],
    [
      'one step so many times',
      [{ fault: hang, at: { step: 1 }, times: 1 }],
      [main(1), main(1), main(2)],
      'h--',
    ],
    [
      'the n-th call, once',
      [{ fault: hang, at: { request: 2 } }],
      [main(), side, main(), main()],
      '--h-',
    ],
    [
      'from the n-th call so many times',
      [{ fault: hang, at: { request: 2 }, times: 2 }],
      [main(), main(), main(), main()],
      '-hh-',
    ],
    [
      'before those that were added later',
      [
        { fault: hang, times: 1 },
        { fault: limit, times: 1 },
      ],
      [main(), main(), main()],
      'hr-',
    ],
  ];
  for (const [why, rules, calls, struck] of cases)
    test(why, () => {
      const faults = new Faults(rules);
      const seen = calls.map((call) => faults.strike(...call)?.kind[0] ?? '-');
      assert.equal(seen.join(''), struck);
    });
});

test('cleared faults have no effect', () => {
  const faults = new Faults([{ fault: hang }]);
  faults.clear();
  assert.equal(faults.strike('main', 0), undefined);
});
