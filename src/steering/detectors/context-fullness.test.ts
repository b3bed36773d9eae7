import { testDetector } from '../../../test/support/detector-table.ts';
import { at, read } from '../../../test/support/turn-script.ts';
import { detectContext } from './context-fullness.ts';

const step = read('a.ts');

testDetector('the context is nearly full', detectContext, [
  ['at 79 % it is not', [at(0.79, step)], null],
  ['at 80 % it is', [at(0.8, step)], 'The context is 80 % full.'],
  ['at 93 % it is urgent', [at(0.93, step)], 'The context is 93 % full.'],
  ['it is not known', [{ steps: [step] }], null],
  [
    'after a compaction the CLI makes room itself',
    [at(0.85, step), at(0.2, step), at(0.85, step)],
    null,
  ],
  [
    'unless it is as good as full',
    [at(0.85, step), at(0.2, step), at(0.98, step)],
    'The context is 98 % full.',
  ],
  [
    'dropping some old outputs is no compaction',
    [at(0.85, step), at(0.7, step), at(0.85, step)],
    'The context is 85 % full.',
  ],
  ['another threshold', [at(0.85, step)], null, { thresholds: { 'context.notice': 0.9 } }],
]);
